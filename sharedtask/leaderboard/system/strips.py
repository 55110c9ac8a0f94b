"""Strip plots: on one axis for all test sets, the distribution of all systems and the position of one.

In: results by test set. Out: positions in per cent, so that a strip is as wide as its table cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sharedtask.leaderboard.charts.axis import Axis, Tick, axis_with_ticks
from sharedtask.leaderboard.system.by_test_set import TestSetResult
from sharedtask.leaderboard.system.system_stats import SystemStats
from sharedtask.standings.precision import as_printed

STEP = 0.1
"""The axis begins and ends at multiples of ten points."""
MAX_TICKS = 6


@dataclass(frozen=True, kw_only=True)
class Strip:
    result: TestSetResult
    own: float | None
    median: float
    box: tuple[float, float]
    """Start and length of the middle half of the systems."""
    range: tuple[float, float]
    """From the lowest to the highest figure."""


def strips(results: Sequence[TestSetResult]) -> tuple[Axis, list[Strip]]:
    drawable = [(result, stats) for result in results if (stats := result.stats) is not None]
    # The lowest figure of all is often a failure: the axis begins at the lower quartile, or at the system.
    visible = [
        value
        for result, stats in drawable
        for value in (stats.quartiles[0], stats.best, result.f1)
        if value is not None
    ]
    axis = score_axis(visible)
    return axis, [strip(result, stats, axis) for result, stats in drawable]


def strip(result: TestSetResult, stats: SystemStats, axis: Axis) -> Strip:
    lower, upper = map(as_printed, stats.quartiles)
    lowest, highest = map(as_printed, stats.extremes)
    return Strip(
        result=result,
        own=None if result.f1 is None else axis.percent(as_printed(result.f1)),
        median=axis.percent(as_printed(stats.median)),
        box=axis.span(lower, upper),
        range=(axis.percent(lowest), axis.percent(highest)),
    )


def score_axis(scores: Sequence[float]) -> Axis:
    """Around the scores, which are fractions; from 0 to 1 without any."""
    low, high = (min(scores), max(scores)) if scores else (0.0, 1.0)
    return axis_with_ticks(as_printed(low), as_printed(high), steps=[STEP])


def score_ticks(axis: Axis) -> list[Tick]:
    """Labelled in points."""
    return axis.ticks(lambda score: f"{100 * score:.0f}", max_ticks=MAX_TICKS)
