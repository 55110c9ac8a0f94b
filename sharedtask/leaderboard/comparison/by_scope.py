"""Several systems over all test sets, by group and by language; for two, the difference with its p."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sharedtask.leaderboard.comparison.pairs import p_value
from sharedtask.leaderboard.system.by_scope import scope_title
from sharedtask.leaderboard.system.field_stats import none_if_nan, rank_range
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


def scope_rows(field: StandingView, systems: Sequence[Entrant], metric: str) -> list[ScopeRow]:
    scopes = [scope for scope in field.figures.scopes if field.codes_of(scope)]
    return [scope_row(field, systems, metric, scope) for scope in scopes]


def scope_row(field: StandingView, systems: Sequence[Entrant], metric: str, scope: str) -> ScopeRow:
    figures = field.figures
    column, measure = figures.scopes.index(scope), figures.metrics.index(metric)
    values = [none_if_nan(figures.f1[system.index, column, measure]) for system in systems]
    presentation = field.presentation(metric)
    known = [value for value in values if value is not None]
    best = presentation.best(known) if known else None
    first, last = values[0], values[-1]
    difference = None if first is None or last is None else first - last
    first_is_ahead = presentation.advantage(difference or 0.0, 0.0) >= 0
    higher, lower = (systems[0], systems[-1]) if first_is_ahead else (systems[-1], systems[0])
    return ScopeRow(
        title=scope_title(field, scope),
        sets=len(field.codes_of(scope)),
        scores=tuple(
            scope_score(field, system, column, measure, value is not None and value == best)
            for system, value in zip(systems, values, strict=True)
        ),
        difference=difference,
        p=p_value(field, higher, lower, metric, scope),
    )


def scope_score(field: StandingView, system: Entrant, column: int, measure: int, best: bool) -> ScopeScore:
    figures, at = field.figures, (system.index, column, measure)
    return ScopeScore(
        f1=none_if_nan(figures.f1[at]),
        low=none_if_nan(figures.low[at]),
        high=none_if_nan(figures.high[at]),
        rank=int(figures.rank[at]) or None,
        ranks=rank_range(figures.rank_low[at], figures.rank_high[at]),
        best=best,
    )
