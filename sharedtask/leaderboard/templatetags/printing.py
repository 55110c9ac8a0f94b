"""How pages of results print figures: F1 × 100, differences with their sign, p values, places on a scale."""

from __future__ import annotations

from django import template

from evaluation.ranking import aggregate

register = template.Library()

NOTHING = "–"
MINUS = "\N{MINUS SIGN}"


@register.filter
def f1(fraction: float | None) -> str:
    return NOTHING if fraction is None else aggregate.printed(fraction)


@register.filter
def signed(fraction: float | None) -> str:
    """A difference in points, with a sign that is as wide as a plus; what prints as nought has none."""
    if fraction is None:
        return NOTHING
    size = aggregate.printed(abs(fraction))
    if float(size) == 0:
        return size
    return ("+" if fraction > 0 else MINUS) + size


@register.filter
def tone(fraction: float | None) -> str:
    """The class of a difference: `above`, `below`, or none where nought is printed."""
    sign = signed(fraction)[0]
    return {"+": "above", MINUS: "below"}.get(sign, "")


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
