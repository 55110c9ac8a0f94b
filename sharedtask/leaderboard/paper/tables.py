"""Every table of an overview paper, of the standing that a page shows.

In: a `StandingView` and the metric of the page. Out: tables by their names in addresses. The evaluator makes
them of the stored figures; here the systems get the names that this reader may know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.utils.text import slugify

from evaluation.ranking.tables import all_tables, by_test_set
from evaluation.ranking.tables.table import Table
from sharedtask.leaderboard.matrix.build import build as build_matrix
from sharedtask.leaderboard.matrix.download import table_of as table_of_matrix
from sharedtask.leaderboard.matrix.query import parse_query
from sharedtask.standings.document import read_standings
from sharedtask.standings.standing_view import StandingView

MATRIX = "matrix"
TEST_SETS = "test-sets"


def paper_tables(view: StandingView, parameters: Mapping[str, str], *, only: str = "") -> dict[str, Table]:
    """Those of the evaluator, and the matrix with the choices of its page. With `only`, at least that one.

    Empty if the standing has a test set that this reader may not know of: its averages include that set.
    """
    if set(view.figures.codes) != set(view.test_sets):
        return {}
    tables = [matrix_table(view, parameters)]
    if only != MATRIX:
        tables += evaluator_tables(view, view.metric_of(parameters.get("metric", "")))
    return with_captions({slugify(table.name): table for table in tables}, view)


def matrix_table(view: StandingView, parameters: Mapping[str, str]) -> Table:
    return table_of_matrix(build_matrix(view, parse_query(parameters, view), lambda *_: ""))


def evaluator_tables(view: StandingView, metric: str) -> list[Table]:
    standing = view.standing
    rows = [row for row in standing.table["rows"] if not row["withdrawn"]]
    standings = read_standings(standing, rows)
    tables = [table for table in all_tables(standings, view.figures.main) if table.name != TEST_SETS]
    return with_names([by_test_set(standings, metric), *tables], view)


def with_names(tables: Sequence[Table], view: StandingView) -> list[Table]:
    """The evaluator knows systems by the public ids of their runs."""
    names = {entrant.id: entrant.name for entrant in view.entrants}
    ids = re.compile("|".join(map(re.escape, names)) or "(?!)")

    def named(cell: str) -> str:
        return ids.sub(lambda match: names[match[0]], cell)

    return [replace(table, rows=tuple(tuple(map(named, row)) for row in table.rows)) for table in tables]


def with_captions(tables: Mapping[str, Table], view: StandingView) -> dict[str, Table]:
    return {name: with_caption(table, view) for name, table in tables.items()}


def with_caption(table: Table, view: StandingView) -> Table:
    """A table outside its page says what it is about."""
    about = f"{view.task.title}, {view.standing.title} ranking"
    part = f" ({view.coverage})" if view.coverage else ""
    return replace(table, caption=f"{about}{part}: {table.caption}")
