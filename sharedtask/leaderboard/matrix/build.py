"""The matrix as the page and the download show it.

In: the view, the query, and where a cell links to. Out: a `Matrix`: rows of cells in order, statistics of
rows and columns, and the colour scale. The figures are those of the standing; only differences and statistics
are computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from evaluation import Presentation
from evaluation.ranking.details import STATUSES
from evaluation.ranking.tails import Floats
from sharedtask.competition.averaging import missing_policy_by
from sharedtask.competition.models import TestSet
from sharedtask.leaderboard.matrix.cell_values import CellKind, cell_text, cell_values
from sharedtask.leaderboard.matrix.colours import ColourScale, colour_scale
from sharedtask.leaderboard.matrix.order import columns_by_group, ordered_columns, ordered_rows
from sharedtask.leaderboard.matrix.query import MatrixQuery
from sharedtask.leaderboard.matrix.statistics import BEST, NAMES, statistics
from sharedtask.standings.standing_view import Entrant, StandingView


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixCell:
    test_set: TestSet
    status: str
    """`valid`, `invalid` or `missing`."""
    consequence: str
    """What an output that is not valid is for the mean of its row; empty if the mean omits it anyway."""
    text: str
    tone: str
    is_best: bool
    """No system prints a better figure on the test set."""
    address: str
    """To the sentences of the output, or to the test set."""


@dataclass(frozen=True, kw_only=True)
class MatrixRow:
    entrant: Entrant
    rank: int
    """0 if it has none."""
    make_cells: Callable[[], Iterator[MatrixCell]]
    statistics: tuple[str, ...]

    @property
    def cells(self) -> Iterator[MatrixCell]:
        """One after the other: a large matrix has 60,000, and whoever shows them needs each only once."""
        return self.make_cells()


@dataclass(frozen=True, kw_only=True)
class Matrix:
    query: MatrixQuery
    presentation: Presentation
    columns: tuple[TestSet, ...]
    groups: tuple[tuple[str, int], ...]
    """Names of the groups with their numbers of columns; empty if columns are in another order."""
    rows: tuple[MatrixRow, ...]
    foot: tuple[tuple[str, tuple[str, ...]], ...]
    """The statistics of the columns: name, and a figure for each column."""
    scale: ColourScale | None
    coverage: str
    """`16 of 81 test sets`; empty if the task is complete."""

    @property
    def test_sets(self) -> int:
        """Their number; one in several groups has several columns."""
        return len({test_set.code for test_set in self.columns})

    @property
    def kind_label(self) -> str:
        """What the cells show."""
        return self.presentation.kind if self.query.kind is CellKind.F1 else self.query.kind.label


CellAddress = Callable[[TestSet, Entrant], str]


def build(
    view: StandingView, query: MatrixQuery, cell_address: CellAddress, *, by_group: bool = True
) -> Matrix:
    """By group, a test set in several groups has a column in each; otherwise it has one."""
    test_sets = ordered_columns(view, query)
    codes = [test_set.code for test_set in test_sets]
    values = cell_values(view, query.kind, query.metric, codes, query.baseline)
    presentation = view.presentation(query.metric)
    visible = values[[entrant.index for entrant in view.entrants]]
    # Figures of a test set with several columns count once in the scale and in the statistics of rows.
    scale = colour_scale(visible, query.kind, presentation)
    groups = column_groups(test_sets, view, query) if by_group and not query.columns else []
    columns = [test_set for _, members in groups for test_set in members] or test_sets
    by_column = values[:, [codes.index(test_set.code) for test_set in columns]]
    foot = column_statistics(by_column[view.ranked], query.kind, presentation)
    best = dict(foot).get(BEST, ())
    return Matrix(
        query=query,
        presentation=presentation,
        columns=tuple(columns),
        groups=tuple((group, len(members)) for group, members in groups),
        rows=tuple(
            matrix_row(
                view,
                query,
                entrant,
                partial(matrix_cells, view, query, entrant, columns, by_column, scale, best, cell_address),
                values,
            )
            for entrant in ordered_rows(view, query)
        ),
        foot=foot,
        scale=scale,
        coverage=view.coverage,
    )


def matrix_row(
    view: StandingView,
    query: MatrixQuery,
    entrant: Entrant,
    make_cells: Callable[[], Iterator[MatrixCell]],
    values: Floats,
) -> MatrixRow:
    figures = view.figures
    at = entrant.index, view.scope_index(query.scope), view.metric_index(query.metric)
    presentation = view.presentation(query.metric)
    row_statistics = statistics(values[entrant.index], query.kind, presentation)
    if query.kind is CellKind.F1:
        # The average of the leaderboard, in which a missing output may count as 0.
        row_statistics = replace(row_statistics, mean=float(figures.f1[at]))
    return MatrixRow(
        entrant=entrant,
        rank=int(figures.rank[at]),
        make_cells=make_cells,
        statistics=row_statistics.texts(query.kind, presentation),
    )


def matrix_cells(
    view: StandingView,
    query: MatrixQuery,
    entrant: Entrant,
    columns: Sequence[TestSet],
    values: Floats,
    scale: ColourScale | None,
    best: Sequence[str],
    cell_address: CellAddress,
) -> Iterator[MatrixCell]:
    indexes = [view.set_index(test_set.code) for test_set in columns]
    statuses = view.figures.set_status[entrant.index, indexes].tolist()
    presentation = view.presentation(query.metric)
    own_values = values[entrant.index].tolist()
    policy = missing_policy_by(view.missing_policy, presentation)
    consequence = policy.consequence if query.kind is CellKind.F1 else ""
    texts = [cell_text(query.kind, value, presentation) for value in own_values]
    for test_set, value, text, best_text, status in zip(
        columns, own_values, texts, best, statuses, strict=True
    ):
        yield MatrixCell(
            test_set=test_set,
            status=STATUSES[status],
            consequence="" if STATUSES[status] == "valid" else consequence,
            text=text,
            tone=scale.tone(value) if scale else "",
            is_best=text == best_text and not entrant.withdrawn,
            address=cell_address(test_set, entrant),
        )


def column_statistics(
    values: Floats, kind: CellKind, presentation: Presentation
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Over the systems that were not withdrawn and have a figure on the test set."""
    columns = [
        statistics(column, kind, presentation).texts(kind, presentation) for column in np.transpose(values)
    ]
    return tuple(zip(NAMES, zip(*columns, strict=True), strict=True)) if columns else ()


def column_groups(
    test_sets: Sequence[TestSet], view: StandingView, query: MatrixQuery
) -> list[tuple[str, list[TestSet]]]:
    """Empty if no test set is in a group. In the scope of one group there are no others."""
    groups = view.task.groups
    by_group = columns_by_group(test_sets, [query.scope] if query.scope in groups else groups)
    return by_group if any(group for group, _ in by_group) else []
