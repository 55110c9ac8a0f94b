"""Several systems over all test sets, by group and by language; for two, the difference with its p."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sharedtask.leaderboard.comparison.pairs import StoredPairs
from sharedtask.leaderboard.system.by_scope import scope_title
from sharedtask.leaderboard.system.system_stats import none_if_nan, rank_range
from sharedtask.standings.standing_view import Entrant, StandingView


@dataclass(frozen=True, kw_only=True)
class ScopeScore:
    f1: float | None
    low: float | None
    high: float | None
    rank: int | None
    ranks: tuple[int, int] | None
    best: bool


@dataclass(frozen=True, kw_only=True)
class ScopeRow:
    title: str
    sets: int
    scores: tuple[ScopeScore, ...]
    difference: float | None
    """The first system minus the last."""
    p: float | None
    """Of the system that is better here."""


def scope_rows(
    view: StandingView, systems: Sequence[Entrant], metric: str, stored: StoredPairs
) -> list[ScopeRow]:
    scopes = [scope for scope in view.figures.scopes if view.codes_of(scope)]
    return [scope_row(view, systems, metric, scope, stored) for scope in scopes]


def scope_row(
    view: StandingView, systems: Sequence[Entrant], metric: str, scope: str, stored: StoredPairs
) -> ScopeRow:
    figures = view.figures
    scope_index, metric_index = view.scope_index(scope), view.metric_index(metric)
    values = [none_if_nan(figures.f1[system.index, scope_index, metric_index]) for system in systems]
    presentation = view.presentation(metric)
    known = [value for value in values if value is not None]
    best = presentation.best(known) if known else None
    first, last = values[0], values[-1]
    difference = None if first is None or last is None else first - last
    return ScopeRow(
        title=scope_title(view, scope),
        sets=len(view.codes_of(scope)),
        scores=tuple(
            scope_score(view, system, scope_index, metric_index, value is not None and value == best)
            for system, value in zip(systems, values, strict=True)
        ),
        difference=difference,
        p=stored[scope].p_of(metric, systems[0].id, systems[-1].id),
    )


def scope_score(
    view: StandingView, system: Entrant, scope_index: int, metric_index: int, best: bool
) -> ScopeScore:
    figures, at = view.figures, (system.index, scope_index, metric_index)
    return ScopeScore(
        f1=none_if_nan(figures.f1[at]),
        low=none_if_nan(figures.low[at]),
        high=none_if_nan(figures.high[at]),
        rank=int(figures.rank[at]) or None,
        ranks=rank_range(figures.rank_low[at], figures.rank_high[at]),
        best=best,
    )
