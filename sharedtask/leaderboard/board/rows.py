"""The rows of a leaderboard: which systems are shown, in which order, with which printed figures.

In: `Facts`, the canonical query, and the figures by one metric in one scope. Out: a `BoardRow` for each
system that the query does not filter out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from typing import Any

from evaluation import Presentation
from evaluation.ranking.details import STATUSES
from sharedtask.leaderboard.board.columns import BoardColumn, MetricScores, sort_systems
from sharedtask.leaderboard.board.facts import BoardEntrant, Facts
from sharedtask.leaderboard.board.query import BoardQuery
from sharedtask.standings.precision import NOTHING
from sharedtask.standings.table_scopes import codes_by_scope


@dataclass(frozen=True, kw_only=True)
class BoardRow:
    index: int
    """Of the system in the arrays."""
    entrant: BoardEntrant
    rank: int | None
    """None for a withdrawn system, and for a baseline in a task that does not rank baselines."""
    ranks: tuple[int, int] | None
    """Its best and worst rank in the central 95% of the replicates."""
    line_below: bool
    """It is significantly better than the system in the next row; False unless sorted by rank."""
    low: str
    high: str
    cells: tuple[str, ...]
    """The figures after the range of ranks."""
    score: str
    not_scored: int
    """Outputs of the scope that are missing or invalid."""
    withdrawn: bool
    selected: bool

    @property
    def rank_range(self) -> str:
        return "–".join(str(rank) for rank in dict.fromkeys(self.ranks or ()))

    @property
    def name(self) -> str:
        return self.entrant.name

    @property
    def run(self) -> str:
        return self.entrant.run


def rows_of(
    facts: Facts,
    query: BoardQuery,
    scores: MetricScores,
    columns: tuple[BoardColumn, ...],
    table: Mapping[str, Any],
) -> tuple[BoardRow, ...]:
    index_of = {run: index for index, run in enumerate(scores.figures.systems)}
    entrants = {index_of[entrant.run]: entrant for entrant in facts.entrants}
    withdrawn = {index_of[row["run"]] for row in table["rows"] if row["withdrawn"]}
    not_scored = count_not_scored(scores, table)
    names = {index: f"{entrant.name} {entrant.system_name}" for index, entrant in entrants.items()}
    ranked = sort_systems([index for index in entrants if index not in withdrawn], "", scores, names)
    lines = {} if query.sort else lines_between(ranked, scores)
    visible = [index for index, entrant in entrants.items() if matches(entrant, not_scored[index], query)]
    # Withdrawn systems come last, whatever the order.
    ordered = sort_systems([index for index in visible if index not in withdrawn], query.sort, scores, names)
    ordered += sort_systems([index for index in visible if index in withdrawn], query.sort, scores, names)
    next_row = dict(pairwise(ordered))
    return tuple(
        board_row(
            index,
            entrants[index],
            scores,
            columns,
            line_below=index in lines and next_row.get(index) == lines[index],
            not_scored=not_scored[index],
            withdrawn=index in withdrawn,
            selected=entrants[index].run in query.selected,
        )
        for index in ordered
    )


def lines_between(ranked: Sequence[int], scores: MetricScores) -> dict[int, int]:
    """Neighbours of which the upper one is significantly better than the lower.

    Systems with exactly the same figure are sorted by name here and differently in the standing. A line below
    the last of them there is a line below the last of them here.
    """
    f1, below = scores.figures.f1[scores.at], scores.figures.line_below[scores.at]
    significant = {f1[index] for index in ranked if below[index]}
    return {
        upper: lower
        for upper, lower in pairwise(ranked)
        if scores.presentation.advantage(f1[upper], f1[lower]) > 0 and f1[upper] in significant
    }


def matches(entrant: BoardEntrant, not_scored: int, query: BoardQuery) -> bool:
    if "baselines" in query.hide and entrant.baseline:
        return False
    if "incomplete" in query.hide and not_scored:
        return False
    # The primary system of a team is shown under the team's name.
    name = entrant.name if entrant.is_primary else f"{entrant.name} {entrant.system_name}"
    return query.q.casefold() in name.casefold()


def count_not_scored(scores: MetricScores, table: Mapping[str, Any]) -> list[int]:
    """By system: missing and invalid outputs of the scope."""
    codes = scores.figures.codes
    columns = [codes.index(code) for code in codes_by_scope(table)[scores.scope]]
    not_valid = scores.figures.set_status[:, columns] != STATUSES.index("valid")
    return [int(count) for count in not_valid.sum(axis=1)]


def board_row(
    index: int,
    entrant: BoardEntrant,
    scores: MetricScores,
    columns: tuple[BoardColumn, ...],
    *,
    line_below: bool,
    not_scored: int,
    withdrawn: bool,
    selected: bool,
) -> BoardRow:
    figures, at = scores.figures, (index, *scores.at[1:])
    ranks = int(figures.rank_low[at]), int(figures.rank_high[at])
    return BoardRow(
        index=index,
        entrant=entrant,
        rank=int(figures.rank[at]) or None,
        ranks=ranks if all(ranks) else None,
        line_below=line_below,
        score=text(float(figures.f1[at]), scores.presentation),
        low=text(float(figures.low[at]), scores.presentation),
        high=text(float(figures.high[at]), scores.presentation),
        cells=tuple(cell(index, column, scores) for column in columns if column.kind in ("figure", "group")),
        not_scored=not_scored,
        withdrawn=withdrawn,
        selected=selected,
    )


def cell(index: int, column: BoardColumn, scores: MetricScores) -> str:
    if column.kind == "group":
        return text(scores.f1(index, scores.metric, column.head), scores.presentation)
    return text(scores.f1(index, column.id, scores.scope), scores.profile.presentations[column.id])


def text(figure: float, presentation: Presentation) -> str:
    return NOTHING if isnan(figure) else presentation.text(figure)
