"""The matrix as a table for a spreadsheet: what the page shows, cell by cell."""

from __future__ import annotations

from evaluation.ranking.render import as_csv
from evaluation.ranking.tables.table import Column, Table, text_column
from sharedtask.leaderboard.matrix.build import Matrix, Row
from sharedtask.leaderboard.matrix.statistics import NAMES
from sharedtask.leaderboard.templatetags.printing import MINUS, NOTHING


def csv_of(matrix: Matrix) -> str:
    heads = (*NAMES, *(one.code for one in matrix.columns))
    foot = [("", name, *[""] * len(NAMES), *map(plain, figures)) for name, figures in matrix.foot]
    return as_csv(
        Table(
            name="matrix",
            caption=f"{matrix.wishes.metric}, {matrix.words}",
            columns=(Column("Rank"), text_column("System"), *map(Column, heads)),
            rows=tuple([told(row) for row in matrix.rows] + foot),
        )
    )


def told(row: Row) -> tuple[str, ...]:
    cells = [plain(cell.text) if cell.status == "valid" else cell.status for cell in row.cells]
    return (str(row.rank or ""), row.entrant.name, *map(plain, row.statistics), *cells)


def plain(figure: str) -> str:
    """A spreadsheet knows the hyphen as a minus, and an empty cell as one without a figure."""
    return "" if figure == NOTHING else figure.replace(MINUS, "-")
