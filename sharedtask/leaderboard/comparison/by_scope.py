"""Several systems over everything, in each group and in each language; of two, the difference with its p."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sharedtask.leaderboard.comparison.pairs import p_value
from sharedtask.leaderboard.system.by_scope import words_of
from sharedtask.leaderboard.system.field_stats import ends, number
from sharedtask.standings.standing_view import Entrant, StandingView


@dataclass(frozen=True, kw_only=True)
class Figure:
    f1: float | None
    low: float | None
    high: float | None
    rank: int | None
    ranks: tuple[int, int] | None
    best: bool


@dataclass(frozen=True, kw_only=True)
class ScopeLine:
    scope: str
    words: str
    sets: int
    figures: tuple[Figure, ...]
    difference: float | None
    """The first less the last."""
    p: float | None
    """For whoever is higher here."""


def by_scope(field: StandingView, chosen: Sequence[Entrant], metric: str) -> list[ScopeLine]:
    return [
        scope_line(field, chosen, metric, scope) for scope in field.figures.scopes if field.codes_of(scope)
    ]


def scope_line(field: StandingView, chosen: Sequence[Entrant], metric: str, scope: str) -> ScopeLine:
    arrays = field.figures
    column, measure = arrays.scopes.index(scope), arrays.metrics.index(metric)
    values = [number(arrays.f1[who.index, column, measure]) for who in chosen]
    presentation = field.presentation(metric)
    known = [value for value in values if value is not None]
    best = presentation.best(known) if known else None
    first, last = values[0], values[-1]
    difference = None if first is None or last is None else first - last
    is_ahead = presentation.advantage(difference or 0.0, 0.0) >= 0
    higher, lower = (chosen[0], chosen[-1]) if is_ahead else (chosen[-1], chosen[0])
    return ScopeLine(
        scope=scope,
        words=words_of(field, scope),
        sets=len(field.codes_of(scope)),
        figures=tuple(
            figure(field, who, column, measure, value is not None and value == best)
            for who, value in zip(chosen, values, strict=True)
        ),
        difference=difference,
        p=p_value(field, higher, lower, metric, scope),
    )


def figure(field: StandingView, who: Entrant, column: int, measure: int, best: bool) -> Figure:
    arrays, at = field.figures, (who.index, column, measure)
    return Figure(
        f1=number(arrays.f1[at]),
        low=number(arrays.low[at]),
        high=number(arrays.high[at]),
        rank=int(arrays.rank[at]) or None,
        ranks=ends(arrays.rank_low[at], arrays.rank_high[at]),
        best=best,
    )
