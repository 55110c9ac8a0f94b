"""A leaderboard as it is shown: rows and columns of printed figures (F1 × 100 with two decimals).

In: `Facts` and `Wishes`. Out: a `Board`. Nothing is computed here and no database is asked, but for a
standing that this process has not read yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from evaluation.ranking.details import STATUSES, Details
from evaluation.ranking.results import EVERYTHING
from sharedtask.leaderboard.board.columns import DEFAULT, Column, Slice, columns_of, in_order
from sharedtask.leaderboard.board.facts import Entrant, Facts
from sharedtask.leaderboard.board.wishes import Wishes
from sharedtask.leaderboard.figures import figures_of, standing_of
from sharedtask.leaderboard.models import Standing
from sharedtask.leaderboard.on_show import scope_of
from sharedtask.leaderboard.standings import NOTHING, printed


@dataclass(frozen=True, kw_only=True)
class Row:
    index: int
    """Its place in the arrays."""
    entrant: Entrant
    rank: int | None
    """None for what takes no number: a withdrawn system, or a baseline where the task says so."""
    rank_range: str
    """The ranks it takes in the central 95 % of the replicates."""
    line_below: bool
    """It is significantly above the next one, and the next one stands below it."""
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
    def name(self) -> str:
        return self.entrant.name

    @property
    def run(self) -> str:
        return self.entrant.run


@dataclass(frozen=True, kw_only=True)
class Board:
    facts: Facts
    wishes: Wishes
    """Settled: what goes without saying, or does not exist, is empty."""
    standing: Standing | None = None
    figures: Details | None = None
    metric: str = ""
    scope: str = EVERYTHING
    columns: tuple[Column, ...] = ()
    rows: tuple[Row, ...] = ()
    hidden: int = 0
    """Systems that the wishes leave out."""

    @property
    def signature(self) -> str:
        return self.standing.signature if self.standing else ""

    @property
    def codes(self) -> list[str]:
        """The test sets that the figures are averages over."""
        found: list[str] = self.standing.table["scopes"][self.scope] if self.standing else []
        return found

    @property
    def gold_versions(self) -> str:
        """`1` where all sets have the first version of their gold; else those that were corrected."""
        numbers = self.standing.table.get("gold", {}) if self.standing else {}
        corrected = [f"{code} {number}" for code, number in sorted(numbers.items()) if number != 1]
        return f"1, but {', '.join(corrected)}" if corrected else "1"


def build(facts: Facts, wishes: Wishes) -> Board:
    if not facts.standing:
        return Board(facts=facts, wishes=settled(facts, wishes))
    standing = standing_of(facts.standing)
    figures = figures_of(standing)
    metric = wishes.metric if wishes.metric in figures.metrics else figures.main[0]
    shown = Slice(figures=figures, metric=metric, scope=scope_of(wishes.scope, figures.scopes))
    columns = columns_of(shown, standing.table["columns"], standing.table["groups"])
    wishes = settled(facts, wishes, shown, columns)
    rows = rows_of(facts, wishes, shown, columns, standing.table)
    return Board(
        facts=facts,
        wishes=wishes,
        standing=standing,
        figures=figures,
        metric=metric,
        scope=shown.scope,
        columns=columns,
        rows=rows,
        hidden=len(facts.entrants) - len(rows),
    )


def settled(
    facts: Facts, wishes: Wishes, shown: Slice | None = None, columns: tuple[Column, ...] = ()
) -> Wishes:
    """Without what goes without saying, so that every state of the page has one address."""
    first_phase, first_track = facts.phases[0][0], facts.tracks[0].track if facts.tracks else ""
    sortable = {column.id for column in columns}
    return replace(
        wishes,
        phase="" if facts.phase == first_phase else facts.phase,
        track="" if facts.track == first_track else facts.track,
        metric=shown.metric if shown and shown.metric != shown.figures.main[0] else "",
        scope=wishes.scope if shown and shown.scope != EVERYTHING else "",
        sort=wishes.sort if wishes.sort.removeprefix("-") in sortable and wishes.sort != DEFAULT else "",
        preview=wishes.preview and facts.organises and not facts.is_live,
    )


def rows_of(
    facts: Facts, wishes: Wishes, shown: Slice, columns: tuple[Column, ...], table: Mapping[str, Any]
) -> tuple[Row, ...]:
    index = {run: place for place, run in enumerate(shown.figures.systems)}
    entrants = {index[one.run]: one for one in facts.entrants}
    withdrawn = {index[row["run"]] for row in table["rows"] if row["withdrawn"]}
    not_scored = files_without_score(shown, table)
    names = {place: f"{one.name} {one.system_name}" for place, one in entrants.items()}
    ranked = in_order([place for place in entrants if place not in withdrawn], "", shown, names)
    following = dict(pairwise(ranked))
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
            line_below=place in following and next_shown.get(place) == following[place],
            not_scored=not_scored[place],
            withdrawn=place in withdrawn,
            ticked=entrants[place].run in wishes.ticked,
        )
        for place in ordered
    )


def is_kept(entrant: Entrant, not_scored: int, wishes: Wishes) -> bool:
    if "baselines" in wishes.hide and entrant.baseline:
        return False
    if "incomplete" in wishes.hide and not_scored:
        return False
    return wishes.q.casefold() in f"{entrant.name} {entrant.system_name}".casefold()


def files_without_score(shown: Slice, table: Mapping[str, Any]) -> list[int]:
    """By system: missing and invalid files of the scope."""
    codes = shown.figures.codes
    columns = [codes.index(code) for code in table["scopes"][shown.scope]]
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
    ranks = [int(figures.rank_low[at]), int(figures.rank_high[at])]
    return Row(
        index=place,
        entrant=entrant,
        rank=int(figures.rank[at]) or None,
        rank_range="–".join(str(rank) for rank in dict.fromkeys(ranks)) if all(ranks) else "",
        line_below=line_below and bool(figures.line_below[at]),
        score=shown_figure(float(figures.f1[at])),
        low=shown_figure(low),
        high=shown_figure(high),
        cells=tuple(cell(place, column, shown) for column in columns if column.kind in ("figure", "group")),
        not_scored=not_scored,
        withdrawn=withdrawn,
        ticked=ticked,
    )


def cell(place: int, column: Column, shown: Slice) -> str:
    if column.kind == "group":
        return shown_figure(shown.f1(place, shown.metric, column.head))
    return shown_figure(shown.f1(place, column.id, shown.scope))


def shown_figure(fraction: float) -> str:
    return NOTHING if np.isnan(fraction) else printed(fraction)
