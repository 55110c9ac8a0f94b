"""The rows of a leaderboard: which systems are shown, in which order, with which printed figures.

In: the canonical query, and the figures by one metric in one scope. Out: a `BoardRow` for each system that
the query does not filter out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan

from evaluation import Presentation
from evaluation.ranking.details import STATUSES
from sharedtask.leaderboard.board.columns import BoardColumn, MetricScores, sort_systems
from sharedtask.leaderboard.board.query import BoardQuery
from sharedtask.standings.precision import NOTHING
from sharedtask.standings.standing_view import Entrant
from sharedtask.standings.table_scopes import codes_by_scope


@dataclass(frozen=True, kw_only=True)
class BoardRow:
    entrant: Entrant
    rank: int | None
    """None for a withdrawn system, and for a baseline in a task that does not rank baselines."""
    ranks: tuple[int, int] | None
    """Its best and worst rank in the central 95% of the replicates."""
    line_below: bool
    """It is significantly better than the system in the next row; False unless sorted by rank."""
    low: str
    high: str
    main_cells: tuple[str, ...]
    """The figures of the other main metrics, which are next to the range of ranks."""
    other_cells: tuple[str, ...]
    """The figures after them."""
    score: str
    not_scored: int
    """Outputs of the scope that are missing or invalid."""
    test_sets: int
    """Of the scope."""
    selected: bool

    @property
    def cells(self) -> tuple[str, ...]:
        """The figures after the range of ranks."""
        return self.main_cells + self.other_cells

    @property
    def rank_range(self) -> str:
        return "–".join(str(rank) for rank in dict.fromkeys(self.ranks or ()))

    @property
    def is_beside_interval(self) -> bool:
        """Whether the figure is outside its own interval, as printed."""
        if NOTHING in (self.low, self.score, self.high):
            return False
        return not float(self.low) <= float(self.score) <= float(self.high)

    @property
    def coverage(self) -> str:
        """`3 of 5`: the test sets that the average is taken over, where missing outputs are excluded."""
        return f"{self.test_sets - self.not_scored} of {self.test_sets}"

    @property
    def name(self) -> str:
        return self.entrant.name

    @property
    def run(self) -> str:
        """Public id."""
        return self.entrant.id

    @property
    def withdrawn(self) -> bool:
        return self.entrant.withdrawn


def rows_of(
    query: BoardQuery, scores: MetricScores, columns: tuple[BoardColumn, ...]
) -> tuple[BoardRow, ...]:
    entrants = {entrant.index: entrant for entrant in scores.view.entrants}
    codes = codes_by_scope(scores.view.standing.table)[scores.scope]
    not_scored = count_not_scored(scores, codes)
    names = {index: entrant.name for index, entrant in entrants.items()}
    ranked = sort_systems(scores.view.ranked, "", scores, names)
    lines = {} if query.sort else lines_between(ranked, scores)
    visible = [entrant for entrant in entrants.values() if matches(entrant, not_scored[entrant.index], query)]
    # Withdrawn systems come last, whatever the order.
    ordered = []
    for withdrawn in (False, True):
        systems = [entrant.index for entrant in visible if entrant.withdrawn == withdrawn]
        ordered += sort_systems(systems, query.sort, scores, names)
    next_row = dict(pairwise(ordered))
    return tuple(
        board_row(
            entrants[index],
            scores,
            columns,
            line_below=index in lines and next_row.get(index) == lines[index],
            not_scored=not_scored[index],
            test_sets=len(codes),
            selected=entrants[index].id in query.selected,
        )
        for index in ordered
    )


def lines_between(ranked: Sequence[int], scores: MetricScores) -> dict[int, int]:
    """Neighbours of which the upper one is significantly better than the lower.

    Equal figures are ordered by name here and by run in the standing. The line stands below the last of them
    in either order.
    """
    f1, below = scores.column(scores.figures.f1), scores.column(scores.figures.line_below)
    significant = {f1[index] for index in ranked if below[index]}
    return {
        upper: lower
        for upper, lower in pairwise(ranked)
        if scores.presentation.advantage(f1[upper], f1[lower]) > 0 and f1[upper] in significant
    }


def matches(entrant: Entrant, not_scored: int, query: BoardQuery) -> bool:
    if "baselines" in query.hide and entrant.baseline:
        return False
    if "incomplete" in query.hide and not_scored:
        return False
    # The primary system of a team is shown under the team's name.
    names = (entrant.name,) if entrant.is_primary else (entrant.name, entrant.system_name)
    return any(query.q.casefold() in name.casefold() for name in names)


def count_not_scored(scores: MetricScores, codes: Sequence[str]) -> list[int]:
    """By system: missing and invalid outputs of these test sets."""
    columns = [scores.view.set_index(code) for code in codes]
    not_valid = scores.figures.set_status[:, columns] != STATUSES.index("valid")
    return [int(count) for count in not_valid.sum(axis=1)]


def board_row(
    entrant: Entrant,
    scores: MetricScores,
    columns: tuple[BoardColumn, ...],
    *,
    line_below: bool,
    not_scored: int,
    test_sets: int,
    selected: bool,
) -> BoardRow:
    figures, index = scores.figures, entrant.index
    position = (index, *scores.position)
    ranks = int(figures.rank_low[position]), int(figures.rank_high[position])
    after_ranks = [column for column in columns if column.kind in ("figure", "group")]
    return BoardRow(
        entrant=entrant,
        rank=int(figures.rank[position]) or None,
        ranks=ranks if all(ranks) else None,
        line_below=line_below,
        score=text(float(figures.f1[position]), scores.presentation),
        low=text(float(figures.low[position]), scores.presentation),
        high=text(float(figures.high[position]), scores.presentation),
        main_cells=tuple(cell(index, column, scores) for column in after_ranks if column.is_main),
        other_cells=tuple(cell(index, column, scores) for column in after_ranks if not column.is_main),
        not_scored=not_scored,
        test_sets=test_sets,
        selected=selected,
    )


def cell(index: int, column: BoardColumn, scores: MetricScores) -> str:
    if column.kind == "group":
        return text(scores.f1(index, scores.metric, column.head), scores.presentation)
    return text(scores.f1(index, column.id, scores.scope), scores.view.presentation(column.id))


def text(figure: float, presentation: Presentation) -> str:
    return NOTHING if isnan(figure) else presentation.text(figure)
