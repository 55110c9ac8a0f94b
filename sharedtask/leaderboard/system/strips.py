"""Strip plots: on one axis for all test sets, the distribution of all systems and the position of one.

In: results by test set. Out: positions in percent, so that a strip is as wide as its table cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation import Presentation
from evaluation.scoring.presentation import PLAIN
from evaluation.showing.axis import Axis, Tick, axis_with_ticks, digits_of
from sharedtask.leaderboard.system.by_test_set import TestSetResult
from sharedtask.leaderboard.system.system_stats import SystemStats
from sharedtask.standings.precision import as_printed

STEP = 0.1
"""Of figures before they are multiplied: an axis from 0 to 100 has marks at the tens."""
MAX_TICKS = 6


@dataclass(frozen=True, kw_only=True)
class Strip:
    result: TestSetResult
    own: float | None
    median: float
    box: tuple[float, float]
    """Start and length of the middle half of the systems."""
    range: tuple[float, float]
    """From the worst to the best figure."""


def strips(results: Sequence[TestSetResult], presentation: Presentation) -> tuple[Axis, list[Strip]]:
    """The worst figures are on the left."""
    drawable = [(result, stats) for result in results if (stats := result.stats) is not None]
    # The worst figure of all is often a failure: the axis begins at the worse quartile, or at the system.
    worse = 0 if presentation.better == "higher" else 1
    visible = [
        value
        for result, stats in drawable
        for value in (stats.quartiles[worse], stats.best, result.f1)
        if value is not None
    ]
    axis = score_axis(visible, presentation)
    return axis, [strip(result, stats, axis, presentation) for result, stats in drawable]


def strip(result: TestSetResult, stats: SystemStats, axis: Axis, presentation: Presentation) -> Strip:
    def percent(figure: float) -> float:
        return axis.percent(as_printed(figure, presentation))

    left, right = sorted(map(percent, stats.quartiles))
    worst, best = sorted(map(percent, stats.extremes))
    return Strip(
        result=result,
        own=None if result.f1 is None else percent(result.f1),
        median=percent(stats.median),
        box=(left, round(right - left, 2)),
        range=(worst, best),
    )


def score_axis(scores: Sequence[float], presentation: Presentation = PLAIN) -> Axis:
    """Around the scores; from 0 to 1 without any. It begins with the worst."""
    low, high = (min(scores), max(scores)) if scores else (0.0, 1.0)
    axis = axis_with_ticks(as_printed(low, presentation), as_printed(high, presentation), steps=[STEP])
    return axis if presentation.better == "higher" else axis.reversed


def score_ticks(axis: Axis, presentation: Presentation = PLAIN) -> list[Tick]:
    """Labelled as figures are printed, without digits that are always 0."""
    digits = digits_of(presentation.factor * axis.step)
    return axis.ticks(lambda score: f"{presentation.factor * score:.{digits}f}", max_ticks=MAX_TICKS)
