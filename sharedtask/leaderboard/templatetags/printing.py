"""Template filters for figures, signed differences, p-values and rank ranges.

Digits and direction are those of the metric: a template gives its `Presentation` as the argument.
"""

from __future__ import annotations

from typing import Any

from django import template

from evaluation.scoring.presentation import PLAIN, Presentation
from sharedtask.standings.precision import NOTHING, printed

register = template.Library()

MINUS = "\N{MINUS SIGN}"


@register.filter
def figure(value: float | None, presentation: Presentation = PLAIN) -> str:
    return printed(value, presentation)


@register.filter
def amount(difference: float | None, presentation: Presentation = PLAIN) -> str:
    """With its unit: `1.23 points`."""
    return f"{figure(difference, presentation)} {presentation.unit}".strip()


@register.filter
def signed(difference: float | None, presentation: Presentation = PLAIN) -> str:
    """With a minus sign as wide as a plus; no sign if it prints as zero."""
    if difference is None:
        return NOTHING
    size = presentation.text(abs(difference))
    if float(size) == 0:
        return size
    return ("+" if difference > 0 else MINUS) + size


@register.filter
def tone(difference: float | None, presentation: Presentation = PLAIN) -> str:
    """The CSS class of a difference: `above` if it is an advantage, `below`, none if it prints as zero."""
    if difference is None or presentation.same(abs(difference), 0.0):
        return ""
    return "above" if presentation.advantage(difference, 0.0) > 0 else "below"


@register.filter
def row_class(row: Any) -> str:
    """The CSS classes of a row of a ranking."""
    entrant, line_below = row.entrant, getattr(row, "line_below", False)
    classes = (("baseline", entrant.baseline), ("line-below", line_below), ("withdrawn", entrant.withdrawn))
    return " ".join(name for name, applies in classes if applies)


@register.filter
def p(value: float | None) -> str:
    """Three decimals: a thousand replicates give no more."""
    if value is None:
        return NOTHING
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


@register.filter
def with_sign(count: int) -> str:
    """A difference of counts."""
    return f"{count:+,}".replace("-", MINUS) if count else "0"


@register.filter
def from_to(ends: tuple[int, int] | None) -> str:
    """A rank range: `2–4`, or `3` if both ends are the same."""
    return "" if ends is None else "–".join(str(end) for end in dict.fromkeys(ends))
