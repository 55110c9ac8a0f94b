"""The cells of a row of the matrix. A page has thousands; building them here takes a tenth of the time."""

from __future__ import annotations

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from sharedtask.leaderboard.matrix.build import MatrixCell, MatrixRow

register = template.Library()

# Not a tab stop: the same sentences can be reached from the page of the test set.
VALID = '<td class="{}"><a href="{}" tabindex="-1">{}</a></td>'
NOT_VALID = {
    "invalid": mark_safe(
        '<td class="none"><span aria-hidden="true">✕</span><span class="unseen">invalid</span></td>'
    ),
    "missing": mark_safe('<td class="none">–<span class="unseen">missing</span></td>'),
}


@register.simple_tag
def cells(row: MatrixRow) -> SafeString:
    """A cell without a figure says in words what is wrong with the output."""
    return format_html_join("", "{}", ([markup(cell)] for cell in row.cells))


def markup(cell: MatrixCell) -> SafeString:
    if cell.status in NOT_VALID:
        return NOT_VALID[cell.status]
    return format_html(VALID, f"{cell.tone} best" if cell.is_best else cell.tone, cell.address, cell.text)
