"""The rank of a system over all test sets, in each group, and in each language with several test sets."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.ranking.results import EVERYTHING, LANGUAGE
from sharedtask.leaderboard.system.system_stats import SystemStats, none_if_nan, rank_range, system_stats
from sharedtask.standings.standing_view import Entrant, StandingView


@dataclass(frozen=True, kw_only=True)
class ScopeResult:
    scope: str
    title: str
    sets: int
    f1: float | None
    low: float | None
    high: float | None
    rank: int | None
    ranks: tuple[int, int] | None
    stats: SystemStats
    best: Entrant | None

    @property
    def parameter(self) -> str:
        """The scope as it is in addresses; empty for all test sets."""
        if self.scope.startswith(LANGUAGE):
            return "lang:" + self.scope.removeprefix(LANGUAGE)
        return "" if self.scope == EVERYTHING else self.scope


def results_by_scope(view: StandingView, system: Entrant, metric: str) -> list[ScopeResult]:
    results = [scope_result(view, system, metric, scope) for scope in view.figures.scopes]
    return [result for result in results if result is not None]


def scope_result(view: StandingView, system: Entrant, metric: str, scope: str) -> ScopeResult | None:
    """None if no system has a figure, or the reader knows no test set of the scope."""
    figures = view.figures
    scope_index, metric_index = view.scope_index(scope), view.metric_index(metric)
    stats = system_stats(
        figures.f1[:, scope_index, metric_index], view.ranked, system.index, view.presentation(metric)
    )
    codes = view.codes_of(scope)
    if stats is None or not codes:
        return None
    at = system.index, scope_index, metric_index
    return ScopeResult(
        scope=scope,
        title=scope_title(view, scope),
        sets=len(codes),
        f1=none_if_nan(figures.f1[at]),
        low=none_if_nan(figures.low[at]),
        high=none_if_nan(figures.high[at]),
        rank=int(figures.rank[at]) or None,
        ranks=rank_range(figures.rank_low[at], figures.rank_high[at]),
        stats=stats,
        best=next((entrant for entrant in view.entrants if entrant.index == stats.best_index), None),
    )


def scope_title(view: StandingView, scope: str) -> str:
    """The test sets of a language know its name."""
    if scope == EVERYTHING:
        return "All test sets"
    if scope.startswith(LANGUAGE):
        tag = scope.removeprefix(LANGUAGE)
        languages = (
            test_set.language for test_set in view.test_sets.values() if test_set.language_tag == tag
        )
        return next(languages, tag)
    return scope
