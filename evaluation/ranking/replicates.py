"""Statistics of the replicates of one figure: its interval, who was above whom, and ranges of ranks."""

from __future__ import annotations

from dataclasses import dataclass

from ..reading.fields import Ints, Mask
from ..scoring.presentation import Presentation
from .counting import count_above, count_above_next, rank_ranges
from .printed import printed
from .tails import Floats, intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Arrays over systems; `above` over pairs of systems, if all were compared."""

    low: Floats
    high: Floats
    above: Ints | None
    next_above: Ints
    rank_low: Ints
    rank_high: Ints


def statistics(
    figures: Floats, presentation: Presentation, following: Ints, numbered: Mask, *, compare_all: bool
) -> Statistics:
    """Of systems × replicates; `following` is for each system the one with the next figure."""
    values = figures if presentation.sign > 0 else -figures
    # Equal in print is a shared rank, the better one, because only systems above count.
    ranges = rank_ranges(printed(figures, presentation), numbered)
    low, high = intervals(figures)
    return Statistics(
        low=low,
        high=high,
        above=count_above(values) if compare_all else None,
        next_above=count_above_next(values, following),
        rank_low=ranges[:, 0],
        rank_high=ranges[:, 1],
    )
