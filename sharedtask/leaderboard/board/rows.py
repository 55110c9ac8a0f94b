"""The rows of a leaderboard: which systems are shown, in which order, with which printed figures.

In: `Facts`, settled wishes, and the figures of one metric in one scope. Out: a `Row` for each system that the
wishes leave in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from typing import Any

from evaluation import Presentation
from evaluation.ranking.details import STATUSES
from sharedtask.leaderboard.board.columns import Column, Slice, in_order
from sharedtask.leaderboard.board.facts import Entrant, Facts
from sharedtask.leaderboard.board.query import Wishes
from sharedtask.standings.precision import NOTHING
from sharedtask.standings.table import codes_by_scope


@dataclass(frozen=True, kw_only=True)
class Row:
    index: int
    """Its place in the arrays."""
    entrant: Entrant
    rank: int | None
    """None for what takes no number: a withdrawn system, or a baseline where the task says so."""
    ranks: tuple[int, int] | None
    """The best and the worst rank that it takes in the central 95 % of the replicates."""
    line_below: bool
    """It is significantly above the next one, which stands below it; told only in the order of ranks."""
    low: str
    high: str
    cells: tuple[str, ...]
    """The figures after the range of ranks."""
    score: str
    not_scored: int
    """Files of the scope that were missing or invalid."""
    withdrawn: bool
    ticked: bool

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
    facts: Facts, wishes: Wishes, shown: Slice, columns: tuple[Column, ...], table: Mapping[str, Any]
) -> tuple[Row, ...]:
    index = {run: place for place, run in enumerate(shown.figures.systems)}
    entrants = {index[one.run]: one for one in facts.entrants}
    withdrawn = {index[row["run"]] for row in table["rows"] if row["withdrawn"]}
    not_scored = files_without_score(shown, table)
    names = {place: f"{one.name} {one.system_name}" for place, one in entrants.items()}
    ranked = in_order([place for place in entrants if place not in withdrawn], "", shown, names)
    lines = {} if wishes.sort else lines_between(ranked, shown)
    kept = [place for place in entrants if is_kept(entrants[place], not_scored[place], wishes)]
    # Withdrawn systems stand below all others, whatever the order.
    ordered = in_order([place for place in kept if place not in withdrawn], wishes.sort, shown, names)
    ordered += in_order([place for place in kept if place in withdrawn], wishes.sort, shown, names)
    next_shown = dict(pairwise(ordered))
    return tuple(
        row(
            place,
            entrants[place],
            shown,
            columns,
            line_below=place in lines and next_shown.get(place) == lines[place],
            not_scored=not_scored[place],
            withdrawn=place in withdrawn,
            ticked=entrants[place].run in wishes.ticked,
        )
        for place in ordered
    )


def lines_between(ranked: Sequence[int], shown: Slice) -> dict[int, int]:
    """Neighbours of which the upper is significantly above the lower.

    Systems with the very same figure stand here by their names, and in the standing in another order: what
    was said of the last of them there is said of the last of them here.
    """
    f1, below = shown.figures.f1[shown.at], shown.figures.line_below[shown.at]
    significant = {f1[place] for place in ranked if below[place]}
    return {
        upper: lower
        for upper, lower in pairwise(ranked)
        if shown.presentation.advantage(f1[upper], f1[lower]) > 0 and f1[upper] in significant
    }


def is_kept(entrant: Entrant, not_scored: int, wishes: Wishes) -> bool:
    if "baselines" in wishes.hide and entrant.baseline:
        return False
    if "incomplete" in wishes.hide and not_scored:
        return False
    # The primary system of a team goes by the team's name.
    called = entrant.name if entrant.is_primary else f"{entrant.name} {entrant.system_name}"
    return wishes.q.casefold() in called.casefold()


def files_without_score(shown: Slice, table: Mapping[str, Any]) -> list[int]:
    """By system: missing and invalid files of the scope."""
    codes = shown.figures.codes
    columns = [codes.index(code) for code in codes_by_scope(table)[shown.scope]]
    lacking = shown.figures.set_status[:, columns] != STATUSES.index("valid")
    return [int(count) for count in lacking.sum(axis=1)]


def row(
    place: int,
    entrant: Entrant,
    shown: Slice,
    columns: tuple[Column, ...],
    *,
    line_below: bool,
    not_scored: int,
    withdrawn: bool,
    ticked: bool,
) -> Row:
    figures, at = shown.figures, (place, *shown.at[1:])
    low, high = float(figures.low[at]), float(figures.high[at])
    ranks = int(figures.rank_low[at]), int(figures.rank_high[at])
    return Row(
        index=place,
        entrant=entrant,
        rank=int(figures.rank[at]) or None,
        ranks=ranks if all(ranks) else None,
        line_below=line_below,
        score=text(float(figures.f1[at]), shown.presentation),
        low=text(low, shown.presentation),
        high=text(high, shown.presentation),
        cells=tuple(cell(place, column, shown) for column in columns if column.kind in ("figure", "group")),
        not_scored=not_scored,
        withdrawn=withdrawn,
        ticked=ticked,
    )


def cell(place: int, column: Column, shown: Slice) -> str:
    if column.kind == "group":
        return text(shown.f1(place, shown.metric, column.head), shown.presentation)
    return text(shown.f1(place, column.id, shown.scope), shown.profile.presentations[column.id])


def text(figure: float, presentation: Presentation) -> str:
    return NOTHING if isnan(figure) else presentation.text(figure)
