"""Statistics of the replicates of one figure: its interval, who was above whom, and ranges of ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..reading.fields import Ints, Mask
from ..scoring.presentation import Presentation
from .counting import count_above, count_above_next, rank_ranges
from .printed import printed
from .tails import Floats, Intervals, intervals


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
    figures: Floats,
    presentation: Presentation,
    following: Ints,
    numbered: Mask,
    *,
    compare_all: bool,
    known: Intervals | None = None,
) -> Statistics:
    """Of systems × replicates; `following` is for each system the one with the next figure.

    Intervals that are `known` are not computed again; the others are NaN.
    """
    values = figures if presentation.sign > 0 else -figures
    # Equal in print is a shared rank, the better one, because only systems above count.
    ranges = rank_ranges(printed(figures, presentation), numbered)
    low, high = _intervals(figures, known)
    return Statistics(
        low=low,
        high=high,
        above=count_above(values) if compare_all else None,
        next_above=count_above_next(values, following),
        rank_low=ranges[:, 0],
        rank_high=ranges[:, 1],
    )


def _intervals(figures: Floats, known: Intervals | None) -> Intervals:
    if known is None:
        return intervals(figures)
    low, high = known
    unknown = np.isnan(low)
    low[unknown], high[unknown] = intervals(figures[unknown])
    return low, high
