"""The cells of a row of the matrix. A page has thousands; building them here takes a tenth of the time."""

from __future__ import annotations

from html import escape

from django import template
from django.utils.safestring import SafeString, mark_safe

from sharedtask.leaderboard.matrix.build import MatrixCell, MatrixRow

register = template.Library()

# Not a tab stop: the same sentences can be reached from the page of the test set.
VALID = '<td class="%s"><a href="%s" tabindex="-1">%s</a></td>'
NOT_VALID = {
    "invalid": '<td class="none"><span aria-hidden="true">✕</span><span class="unseen">invalid</span></td>',
    "missing": '<td class="none">–<span class="unseen">missing</span></td>',
}


@register.simple_tag
def cells(row: MatrixRow) -> SafeString:
    """A cell without a figure says in words what is wrong with the output."""
    return mark_safe("".join(map(markup, row.cells)))


def markup(cell: MatrixCell) -> str:
    if cell.status in NOT_VALID:
        return NOT_VALID[cell.status]
    classes = f"{cell.tone} best" if cell.is_best else cell.tone
    # `format_html` would take half of the time of the whole page.
    return VALID % (classes, escape(cell.address), escape(cell.text))
