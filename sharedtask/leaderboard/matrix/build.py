"""The matrix as the page and the download print it.

In: the field, the reader's wishes, and where a cell leads. Out: `Matrix`: rows of cells in order, statistics
of rows and columns, the scale. The figures are those of the standing; only differences and medians are made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from evaluation import Presentation
from evaluation.ranking.details import STATUSES
from evaluation.ranking.tails import Floats
from sharedtask.competition.models import TestSet
from sharedtask.leaderboard.matrix.cell_values import Shown, printed, values_of
from sharedtask.leaderboard.matrix.colours import Scale, scale_of
from sharedtask.leaderboard.matrix.order import first_group, in_columns, in_rows
from sharedtask.leaderboard.matrix.query import Wishes
from sharedtask.leaderboard.matrix.statistics import BEST, NAMES, statistics
from sharedtask.standings.standing_view import Entrant, StandingView


@dataclass(frozen=True, kw_only=True)
class Cell:
    test_set: TestSet
    status: str
    """`valid`, `invalid` or `missing`."""
    text: str
    tone: str
    is_best: bool
    """Nobody prints a better figure on the test set."""
    address: str
    """Where the cell leads: to the sentences of the file, or to the test set."""


@dataclass(frozen=True, kw_only=True)
class Row:
    entrant: Entrant
    rank: int
    """0 where it has none."""
    cells: tuple[Cell, ...]
    statistics: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Matrix:
    wishes: Wishes
    presentation: Presentation
    columns: tuple[TestSet, ...]
    groups: tuple[tuple[str, int], ...]
    """Names of the groups with the number of their columns; empty where columns are in another order."""
    rows: tuple[Row, ...]
    foot: tuple[tuple[str, tuple[str, ...]], ...]
    """The statistics of the columns: name, and a figure for each column."""
    scale: Scale | None

    @property
    def words(self) -> str:
        """What the cells show."""
        return self.presentation.kind if self.wishes.shown is Shown.F1 else self.wishes.shown.words


Leading = Callable[[TestSet, Entrant], str]


def build(field: StandingView, wishes: Wishes, leading: Leading) -> Matrix:
    columns = in_columns(field, wishes)
    codes = [one.code for one in columns]
    values = values_of(field, wishes.shown, wishes.metric, codes, wishes.baseline)
    presentation = field.presentation(wishes.metric)
    scale = scale_of(values[[one.index for one in field.entrants]], wishes.shown, presentation)
    foot = foot_of(values[field.ranked], wishes.shown, presentation)
    best = dict(foot).get(BEST, ())
    return Matrix(
        wishes=wishes,
        presentation=presentation,
        columns=tuple(columns),
        groups=() if wishes.columns else groups_of(columns, field),
        rows=tuple(
            row(
                field,
                wishes,
                one,
                cells(field, wishes, one, columns, values, scale, best, leading),
                values,
            )
            for one in in_rows(field, wishes)
        ),
        foot=foot,
        scale=scale,
    )


def row(field: StandingView, wishes: Wishes, who: Entrant, cells: tuple[Cell, ...], values: Floats) -> Row:
    figures = field.figures
    at = who.index, figures.scopes.index(wishes.scope), figures.metrics.index(wishes.metric)
    presentation = field.presentation(wishes.metric)
    found = statistics(values[who.index], wishes.shown, presentation)
    if wishes.shown is Shown.F1:
        # The average of the leaderboard, in which the task says what a missing file counts.
        found = replace(found, mean=float(figures.f1[at]))
    return Row(
        entrant=who,
        rank=int(figures.rank[at]),
        cells=cells,
        statistics=found.printed(wishes.shown, presentation),
    )


def cells(
    field: StandingView,
    wishes: Wishes,
    who: Entrant,
    columns: Sequence[TestSet],
    values: Floats,
    scale: Scale | None,
    best: Sequence[str],
    leading: Leading,
) -> tuple[Cell, ...]:
    statuses = field.figures.set_status[who.index, [field.column(one.code) for one in columns]].tolist()
    presentation = field.presentation(wishes.metric)
    texts = [printed(wishes.shown, value, presentation) for value in values[who.index].tolist()]
    return tuple(
        Cell(
            test_set=one,
            status=STATUSES[status],
            text=text,
            tone=scale.tone(value) if scale else "",
            is_best=text == highest and not who.withdrawn,
            address=leading(one, who),
        )
        for one, value, text, highest, status in zip(
            columns, values[who.index].tolist(), texts, best, statuses, strict=True
        )
    )


def foot_of(
    values: Floats, shown: Shown, presentation: Presentation
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Of the systems that were not withdrawn and have a figure on the test set."""
    columns = [
        statistics(column, shown, presentation).printed(shown, presentation)
        for column in np.transpose(values)
    ]
    return tuple(zip(NAMES, zip(*columns, strict=True), strict=True)) if columns else ()


def groups_of(columns: Sequence[TestSet], field: StandingView) -> tuple[tuple[str, int], ...]:
    task = field.source.phase.task
    named = groupby(columns, key=lambda one: first_group(one, task.groups))
    counted: Mapping[str, int] = {name: len(list(sets)) for name, sets in named}
    return tuple(counted.items()) if any(counted) else ()
