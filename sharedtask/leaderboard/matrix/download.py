"""The matrix as a table for a spreadsheet: what the page shows, cell by cell."""

from __future__ import annotations

from evaluation.ranking.render import as_csv
from evaluation.ranking.tables.table import Column, Table, text_column
from sharedtask.leaderboard.coverage import with_coverage
from sharedtask.leaderboard.matrix.build import Matrix, MatrixCell, MatrixRow
from sharedtask.leaderboard.matrix.statistics import NAMES
from sharedtask.leaderboard.templatetags.printing import MINUS
from sharedtask.standings.precision import NOTHING


def csv_of(matrix: Matrix) -> str:
    return as_csv(with_coverage(table_of(matrix), matrix.coverage))


def table_of(matrix: Matrix) -> Table:
    heads = (*NAMES, *(test_set.code for test_set in matrix.columns))
    foot = [("", name, *[""] * len(NAMES), *map(plain, figures)) for name, figures in matrix.foot]
    return Table(
        name="matrix",
        caption=f"{matrix.query.metric}, {matrix.kind_label}",
        columns=(Column("Rank"), text_column("System"), *map(Column, heads)),
        rows=tuple([table_row(row) for row in matrix.rows] + foot),
    )


def table_row(row: MatrixRow) -> tuple[str, ...]:
    return (
        str(row.rank or ""),
        row.entrant.name,
        *map(plain, row.statistics),
        *map(cell_content, row.cells),
    )


def cell_content(cell: MatrixCell) -> str:
    """A figure, or why there is none: a score of 0 and a missing output are different things."""
    if cell.status == "valid":
        return plain(cell.text)
    return f"{cell.status} ({cell.consequence})" if cell.consequence else cell.status


def plain(figure: str) -> str:
    """Spreadsheets expect a hyphen as minus sign, and an empty cell for a missing figure."""
    return "" if figure == NOTHING else figure.replace(MINUS, "-")
