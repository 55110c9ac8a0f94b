"""The place of a system over everything, in each group and in each language with several test sets."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.ranking.results import EVERYTHING, LANGUAGE
from sharedtask.leaderboard.system.field_stats import Among, among, ends, number
from sharedtask.standings.standing_view import Entrant, StandingView


@dataclass(frozen=True, kw_only=True)
class Place:
    scope: str
    words: str
    sets: int
    f1: float | None
    low: float | None
    high: float | None
    rank: int | None
    ranks: tuple[int, int] | None
    among: Among
    best: Entrant | None

    @property
    def asked(self) -> str:
        """The scope as addresses have it; empty for everything."""
        if self.scope.startswith(LANGUAGE):
            return "lang:" + self.scope.removeprefix(LANGUAGE)
        return "" if self.scope == EVERYTHING else self.scope


def places(field: StandingView, who: Entrant, metric: str) -> list[Place]:
    found = [place(field, who, metric, scope) for scope in field.figures.scopes]
    return [one for one in found if one is not None]


def place(field: StandingView, who: Entrant, metric: str, scope: str) -> Place | None:
    figures = field.figures
    column, measure = figures.scopes.index(scope), figures.metrics.index(metric)
    compared = among(figures.f1[:, column, measure], field.ranked, who.index, field.presentation(metric))
    codes = field.codes_of(scope)
    if compared is None or not codes:
        return None
    at = who.index, column, measure
    return Place(
        scope=scope,
        words=words_of(field, scope),
        sets=len(codes),
        f1=number(figures.f1[at]),
        low=number(figures.low[at]),
        high=number(figures.high[at]),
        rank=int(figures.rank[at]) or None,
        ranks=ends(figures.rank_low[at], figures.rank_high[at]),
        among=compared,
        best=next((one for one in field.entrants if one.index == compared.best_index), None),
    )


def words_of(field: StandingView, scope: str) -> str:
    """A language is called by its name, which its test sets know."""
    if scope == EVERYTHING:
        return "All test sets"
    if scope.startswith(LANGUAGE):
        tag = scope.removeprefix(LANGUAGE)
        return next((one.language for one in field.test_sets.values() if one.language_tag == tag), tag)
    return scope
