"""How much of its task a table is about, as a column: a spreadsheet has no caption."""

from __future__ import annotations

from dataclasses import replace

from evaluation.ranking.tables.table import Table, text_column


def with_coverage(table: Table, coverage: str) -> Table:
    """Unchanged if the task is complete."""
    if not coverage:
        return table
    return replace(
        table,
        columns=(*table.columns, text_column("Part of the task")),
        rows=tuple((*row, coverage) for row in table.rows),
    )
