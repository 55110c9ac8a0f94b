"""Several systems on each test set; for two of them, the difference with its interval and p.

In: the view and the systems. Out: a `TestSetComparison` per test set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation import Presentation
from evaluation.ranking.details import SET, STATUSES
from evaluation.ranking.significance import LEVEL
from sharedtask.competition.models import TestSet
from sharedtask.leaderboard.comparison.pairs import StoredPairs
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
    too_small: bool
    """The test set has too few sentences or documents for an interval and a p-value."""

    @property
    def significant(self) -> bool:
        return self.p is not None and self.p < LEVEL

    @property
    def spread(self) -> float | None:
        known = [score.f1 for score in self.scores if score.f1 is not None]
        return max(known) - min(known) if len(known) > 1 else None


def compare_by_test_set(
    view: StandingView, systems: Sequence[Entrant], metric: str, scope: str, stored: StoredPairs
) -> list[TestSetComparison]:
    return [compare_on(view, systems, metric, view.test_sets[code], stored) for code in view.codes_of(scope)]


def compare_on(
    view: StandingView, systems: Sequence[Entrant], metric: str, test_set: TestSet, stored: StoredPairs
) -> TestSetComparison:
    figures, set_index = view.figures, view.set_index(test_set.code)
    metric_index = view.metric_index(metric)
    values = [none_if_nan(figures.set_f1[system.index, set_index, metric_index]) for system in systems]
    known = [value for value in values if value is not None]
    best = view.presentation(metric).best(known) if known else None
    first, last = values[0], values[-1]
    difference = None if first is None or last is None else first - last
    on_set, ends = stored[SET + test_set.code], (systems[0].id, systems[-1].id)
    low, high = on_set.interval_of(metric, *ends) or (None, None)
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
        p=on_set.p_of(metric, *ends),
        too_small=bool(figures.set_too_small[set_index]),
    )


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
