"""The strip plots of the comparison page: differences of two systems, or the scores of several.

In: comparisons by test set. Out: an axis, and positions on it in percent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation import Presentation
from evaluation.scoring.presentation import PLAIN
from evaluation.showing.axis import Axis, Tick, axis_with_ticks
from sharedtask.leaderboard.comparison.by_test_set import TestSetComparison
from sharedtask.leaderboard.system.strips import score_axis
from sharedtask.standings.precision import as_printed

STEPS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
MAX_STEPS = 8
"""Four on each side of zero."""
MARGIN = 1.25
"""Somewhat more than half of the intervals need, so that most of them fit."""


@dataclass(frozen=True, kw_only=True)
class DifferenceMark:
    """One row of the plot, in percent of the width."""

    comparison: TestSetComparison
    at: float | None
    low: float | None
    high: float | None


def difference_plot(
    comparisons: Sequence[TestSetComparison], presentation: Presentation = PLAIN
) -> tuple[Axis, list[DifferenceMark]]:
    """Zero is in the middle; every difference fits on the axis, and most of the intervals.

    An interval that is far longer than the others, on a very small test set, is cut off at the edge.
    """

    def size(difference: float) -> float:
        return abs(as_printed(difference, presentation))

    differences = [size(each.difference) for each in comparisons if each.difference is not None]
    ends = sorted(size(end) for each in comparisons for end in (each.low, each.high) if end is not None)
    usual_end = ends[len(ends) // 2] * MARGIN if ends else 0.0
    widest = max(STEPS[0], usual_end, *differences)
    axis = axis_with_ticks(-widest, widest, steps=STEPS, max_steps=MAX_STEPS)
    return axis, [difference_mark(comparison, axis, presentation) for comparison in comparisons]


def difference_ticks(axis: Axis, presentation: Presentation = PLAIN) -> list[Tick]:
    """Labelled as figures are printed, with a minus sign as wide as a plus."""

    def label(difference: float) -> str:
        return f"{presentation.factor * difference:+g}".replace("-", "\N{MINUS SIGN}") if difference else "0"

    return axis.ticks(label)


def difference_mark(comparison: TestSetComparison, axis: Axis, presentation: Presentation) -> DifferenceMark:
    at, low, high = (
        None if value is None else axis.percent(as_printed(value, presentation))
        for value in (comparison.difference, comparison.low, comparison.high)
    )
    return DifferenceMark(comparison=comparison, at=at, low=low, high=high)


def score_plot(
    comparisons: Sequence[TestSetComparison], presentation: Presentation
) -> tuple[Axis, list[tuple[TestSetComparison, list[tuple[int, float]]]]]:
    """With each comparison the number and the position of each system that has a score."""
    scores = [score.f1 for comparison in comparisons for score in comparison.scores]
    axis = score_axis([score for score in scores if score is not None], presentation)
    return axis, [(comparison, score_marks(comparison, axis, presentation)) for comparison in comparisons]


def score_marks(
    comparison: TestSetComparison, axis: Axis, presentation: Presentation
) -> list[tuple[int, float]]:
    return [
        (number, axis.percent(as_printed(score.f1, presentation)))
        for number, score in enumerate(comparison.scores, start=1)
        if score.f1 is not None
    ]
