"""Several systems on each test set; for two of them, the difference with its interval and p.

In: the view and the systems. Out: a `TestSetComparison` per test set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation import Presentation
from evaluation.ranking.details import STATUSES
from evaluation.ranking.significance import LEVEL
from sharedtask.competition.models import TestSet
from sharedtask.leaderboard.system.system_stats import none_if_nan
from sharedtask.standings.standing_view import Entrant, StandingView


@dataclass(frozen=True, kw_only=True)
class TestSetScore:
    system: Entrant
    f1: float | None
    status: str
    best: bool
    """None of the compared systems has a better score."""


@dataclass(frozen=True, kw_only=True)
class TestSetComparison:
    test_set: TestSet
    scores: tuple[TestSetScore, ...]
    difference: float | None
    """The first system minus the last; None if one of them has no score."""
    low: float | None
    high: float | None
    p: float | None
    """Of the system that is better here."""

    @property
    def significant(self) -> bool:
        return self.p is not None and self.p < LEVEL

    @property
    def spread(self) -> float | None:
        known = [score.f1 for score in self.scores if score.f1 is not None]
        return max(known) - min(known) if len(known) > 1 else None


def compare_by_test_set(
    view: StandingView, systems: Sequence[Entrant], metric: str, scope: str
) -> list[TestSetComparison]:
    return [compare_on(view, systems, metric, view.test_sets[code]) for code in view.codes_of(scope)]


def compare_on(
    view: StandingView, systems: Sequence[Entrant], metric: str, test_set: TestSet
) -> TestSetComparison:
    figures, set_index = view.figures, view.set_index(test_set.code)
    metric_index = view.metric_index(metric)
    values = [none_if_nan(figures.set_f1[system.index, set_index, metric_index]) for system in systems]
    known = [value for value in values if value is not None]
    best = view.presentation(metric).best(known) if known else None
    first, last = values[0], values[-1]
    difference = None if first is None or last is None else first - last
    low, high, p = interval_and_p(view, systems[0], systems[-1], metric, set_index, difference)
    return TestSetComparison(
        test_set=test_set,
        scores=tuple(
            TestSetScore(
                system=system,
                f1=value,
                status=STATUSES[figures.set_status[system.index, set_index]],
                best=value is not None and value == best,
            )
            for system, value in zip(systems, values, strict=True)
        ),
        difference=difference,
        low=low,
        high=high,
        p=p,
    )


def interval_and_p(
    view: StandingView, first: Entrant, last: Entrant, metric: str, set_index: int, difference: float | None
) -> tuple[float | None, float | None, float | None]:
    """Of the difference; p is that of the better system. All None for a metric that is not main."""
    figures = view.figures
    if metric not in figures.main or difference is None:
        return None, None, None
    main_index = figures.main.index(metric)
    at = main_index, set_index, first.index, last.index
    first_is_ahead = view.presentation(metric).advantage(difference, 0.0) >= 0
    higher, lower = (first, last) if first_is_ahead else (last, first)
    p = figures.set_p[main_index, set_index, higher.index, lower.index]
    low, high = figures.set_difference_low[at], figures.set_difference_high[at]
    return none_if_nan(low), none_if_nan(high), none_if_nan(p)


def sort_comparisons(
    comparisons: Sequence[TestSetComparison], sort: str, presentation: Presentation
) -> list[TestSetComparison]:
    """By test set; else the largest advantage of the first system first, for several the largest spread."""

    def by_spread(comparison: TestSetComparison) -> tuple[bool, float]:
        return comparison.spread is None, -(comparison.spread or 0.0)

    def by_difference(comparison: TestSetComparison) -> tuple[bool, float]:
        return comparison.difference is None, presentation.sort_key(comparison.difference or 0.0)

    if sort == "set":
        return sorted(comparisons, key=lambda comparison: comparison.test_set.code)
    of_several = bool(comparisons) and len(comparisons[0].scores) > 2
    return sorted(comparisons, key=by_spread if of_several else by_difference)
