"""How pages of results print figures, differences with their sign, p values and ranges of ranks.

Digits and direction are those of the metric: a template gives its `Presentation` as the argument.
"""

from __future__ import annotations

from django import template

from evaluation.scoring.presentation import PLAIN, Presentation

register = template.Library()

NOTHING = "–"
MINUS = "\N{MINUS SIGN}"


@register.filter
def figure(value: float | None, presentation: Presentation = PLAIN) -> str:
    return NOTHING if value is None else presentation.text(value)


@register.filter
def signed(difference: float | None, presentation: Presentation = PLAIN) -> str:
    """With a sign that is as wide as a plus; what is printed as zero has none."""
    if difference is None:
        return NOTHING
    size = presentation.text(abs(difference))
    if float(size) == 0:
        return size
    return ("+" if difference > 0 else MINUS) + size


@register.filter
def tone(difference: float | None, presentation: Presentation = PLAIN) -> str:
    """The class of a difference: `above` where it is for the better, `below`, none where zero is printed."""
    if difference is None or presentation.same(abs(difference), 0.0):
        return ""
    return "above" if presentation.advantage(difference, 0.0) > 0 else "below"


@register.filter
def p(value: float | None) -> str:
    """Three decimals, as many as a thousand replicates tell."""
    if value is None:
        return NOTHING
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


@register.filter
def with_sign(count: int) -> str:
    """A difference of counts."""
    return f"{count:+,}".replace("-", MINUS) if count else "0"


@register.filter
def from_to(ends: tuple[int, int] | None) -> str:
    """A range of ranks: `2–4`, or `3` where both ends are the same."""
    return "" if ends is None else "–".join(str(end) for end in dict.fromkeys(ends))
