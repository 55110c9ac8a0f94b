"""A system on each test set: every metric, its rank, and its distance from the best and the median.

In: the view, a system, a metric. Out: `TestSetResult`s in any order, and the test sets on which the system
is furthest above and furthest below the median.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evaluation import Presentation
from evaluation.ranking.details import STATUSES
from sharedtask.competition.models import TestSet
from sharedtask.leaderboard.system.system_stats import SystemStats, none_if_nan, rank_range, system_stats
from sharedtask.standings.standing_view import Entrant, StandingView

MAX_NAMED = 3
"""As strong ones, and as weak ones."""


@dataclass(frozen=True, kw_only=True)
class TestSetResult:
    test_set: TestSet
    status: str
    f1: float | None
    low: float | None
    high: float | None
    rank: int | None
    ranks: tuple[int, int] | None
    stats: SystemStats | None
    """None if no system has a valid output."""
    metrics: Mapping[str, float | None]

    @property
    def from_median(self) -> float | None:
        return self.stats.from_median if self.stats else None

    @property
    def from_best(self) -> float | None:
        return self.stats.from_best if self.stats else None


def results_by_test_set(view: StandingView, system: Entrant, metric: str) -> list[TestSetResult]:
    return [test_set_result(view, system, metric, test_set) for test_set in view.test_sets.values()]


def test_set_result(view: StandingView, system: Entrant, metric: str, test_set: TestSet) -> TestSetResult:
    figures = view.figures
    set_index, metric_index = view.set_index(test_set.code), view.metric_index(metric)
    at = system.index, set_index, metric_index
    all_metrics = figures.set_f1[system.index, set_index]
    all_systems = figures.set_f1[:, set_index, metric_index]
    return TestSetResult(
        test_set=test_set,
        status=STATUSES[figures.set_status[system.index, set_index]],
        f1=none_if_nan(figures.set_f1[at]),
        low=none_if_nan(figures.set_low[at]),
        high=none_if_nan(figures.set_high[at]),
        rank=int(figures.set_rank[at]) or None,
        ranks=rank_range(figures.set_rank_low[at], figures.set_rank_high[at]),
        stats=system_stats(all_systems, view.ranked, system.index, view.presentation(metric)),
        metrics={name: none_if_nan(f1) for name, f1 in zip(figures.metrics, all_metrics, strict=True)},
    )


@dataclass(frozen=True, kw_only=True)
class StrengthsAndWeaknesses:
    """Test sets furthest from the median first; none of them is in both."""

    strong: Sequence[TestSetResult]
    weak: Sequence[TestSetResult]


def strengths_and_weaknesses(
    results: Sequence[TestSetResult], presentation: Presentation
) -> StrengthsAndWeaknesses:
    known = strongest_first([result for result in results if result.from_median is not None], presentation)
    count = min(MAX_NAMED, len(known) // 2)
    return StrengthsAndWeaknesses(strong=known[:count], weak=known[::-1][:count])


def strongest_first(results: Sequence[TestSetResult], presentation: Presentation) -> list[TestSetResult]:
    """Results without a figure come last."""

    def key(result: TestSetResult) -> tuple[bool, float]:
        return result.from_median is None, presentation.sort_key(result.from_median or 0.0)

    return sorted(results, key=key)


SortKey = Callable[[TestSetResult], float | str | None]
SORT_KEYS: Mapping[str, SortKey] = {
    "set": lambda result: result.test_set.code,
    "rank": lambda result: result.rank,
    "best": lambda result: result.from_best,
    "median": lambda result: result.from_median,
}


def sort_results(results: Sequence[TestSetResult], metrics: Sequence[str], sort: str) -> list[TestSetResult]:
    """By a key of `SORT_KEYS` or a metric, descending with a hyphen in front; else in the task's order."""
    name = sort.removeprefix("-")
    key = SORT_KEYS.get(name) or metric_key(metrics, name)
    if key is None:
        return list(results)
    known = [result for result in results if key(result) is not None]
    known.sort(key=key, reverse=sort.startswith("-"))  # type: ignore[arg-type]
    return known + [result for result in results if key(result) is None]


def metric_key(metrics: Sequence[str], name: str) -> SortKey | None:
    if name not in metrics:
        return None
    return lambda result: result.metrics[name]
