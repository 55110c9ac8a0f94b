"""The cells of a row of the matrix. There are thousands on a page: written in one go they cost a tenth."""

from __future__ import annotations

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from sharedtask.leaderboard.matrix.build import Cell, Row

register = template.Library()

# No stop on the way of the Tab key: the same sentences are reached from the page of the test set.
VALID = '<td class="{}"><a href="{}" tabindex="-1">{}</a></td>'
WITHOUT = {
    "invalid": mark_safe(
        '<td class="none"><span aria-hidden="true">✕</span><span class="unseen">invalid</span></td>'
    ),
    "missing": mark_safe('<td class="none">–<span class="unseen">missing</span></td>'),
}


@register.simple_tag
def cells(row: Row) -> SafeString:
    """What has no figure says in words which way it failed."""
    return format_html_join("", "{}", ([markup(cell)] for cell in row.cells))


def markup(cell: Cell) -> SafeString:
    if cell.status in WITHOUT:
        return WITHOUT[cell.status]
    return format_html(VALID, f"{cell.tone} best" if cell.is_best else cell.tone, cell.address, cell.text)
