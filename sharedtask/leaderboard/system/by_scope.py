"""The rank of a system over all test sets, in each group, and in each language with several test sets."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.ranking.results import EVERYTHING, LANGUAGE
from sharedtask.leaderboard.system.field_stats import FieldStats, field_stats, none_if_nan, rank_range
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
    field_stats: FieldStats
    best: Entrant | None

    @property
    def parameter(self) -> str:
        """The scope as it is in addresses; empty for all test sets."""
        if self.scope.startswith(LANGUAGE):
            return "lang:" + self.scope.removeprefix(LANGUAGE)
        return "" if self.scope == EVERYTHING else self.scope


def results_by_scope(field: StandingView, system: Entrant, metric: str) -> list[ScopeResult]:
    results = [scope_result(field, system, metric, scope) for scope in field.figures.scopes]
    return [result for result in results if result is not None]


def scope_result(field: StandingView, system: Entrant, metric: str, scope: str) -> ScopeResult | None:
    """None if no system has a figure, or the reader knows no test set of the scope."""
    figures = field.figures
    column, measure = figures.scopes.index(scope), figures.metrics.index(metric)
    stats = field_stats(
        figures.f1[:, column, measure], field.ranked, system.index, field.presentation(metric)
    )
    codes = field.codes_of(scope)
    if stats is None or not codes:
        return None
    at = system.index, column, measure
    return ScopeResult(
        scope=scope,
        title=scope_title(field, scope),
        sets=len(codes),
        f1=none_if_nan(figures.f1[at]),
        low=none_if_nan(figures.low[at]),
        high=none_if_nan(figures.high[at]),
        rank=int(figures.rank[at]) or None,
        ranks=rank_range(figures.rank_low[at], figures.rank_high[at]),
        field_stats=stats,
        best=next((entrant for entrant in field.entrants if entrant.index == stats.best_index), None),
    )


def scope_title(field: StandingView, scope: str) -> str:
    """The test sets of a language know its name."""
    if scope == EVERYTHING:
        return "All test sets"
    if scope.startswith(LANGUAGE):
        tag = scope.removeprefix(LANGUAGE)
        languages = (
            test_set.language for test_set in field.test_sets.values() if test_set.language_tag == tag
        )
        return next(languages, tag)
    return scope
