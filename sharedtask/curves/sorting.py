"""Tables of an analysis for a page: rows in the requested order, and headings that link to other orders.

In: a table and `<table>:<column>`, with a minus for the reverse order. Out: `SortedTable`. What makes no
sense leaves the table as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.ranking.tables.table import Table


@dataclass(frozen=True, kw_only=True)
class Heading:
    label: str
    is_numeric: bool
    next_sort: str
    order: str
    """`ascending`, `descending`, or empty."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    text: str
    is_numeric: bool


@dataclass(frozen=True, kw_only=True)
class SortedTable:
    name: str
    caption: str
    headings: Sequence[Heading]
    rows: Sequence[Sequence[Cell]]

    @property
    def is_sorted(self) -> bool:
        return any(heading.order for heading in self.headings)


def sort_table(table: Table, sort: str) -> SortedTable:
    column, descending = requested_column(table, sort)
    rows = list(table.rows)
    if column is not None:
        rows.sort(key=lambda row: sort_key(row[column]), reverse=descending)
    return SortedTable(
        name=table.name,
        caption=table.caption,
        headings=[
            heading(table, number, column == number, descending) for number in range(len(table.columns))
        ],
        rows=[
            [Cell(text=cell, is_numeric=c.numeric) for cell, c in zip(row, table.columns, strict=True)]
            for row in rows
        ],
    )


def requested_column(table: Table, sort: str) -> tuple[int | None, bool]:
    name, _, number = sort.removeprefix("-").partition(":")
    is_column = name == table.name and number.isascii() and number.isdigit() and len(number) < 4
    if not is_column or int(number) >= len(table.columns):
        return None, False
    return int(number), sort.startswith("-")


def heading(table: Table, number: int, is_sorted: bool, descending: bool) -> Heading:
    column = table.columns[number]
    address = f"{table.name}:{number}"
    order = ("descending" if descending else "ascending") if is_sorted else ""
    return Heading(
        label=column.head,
        is_numeric=column.numeric,
        next_sort=f"-{address}" if order == "ascending" else address,
        order=order,
    )


def sort_key(cell: str) -> tuple[int, float, str]:
    """Numbers before words, also numbers with a mark such as `<5`, or with an interval after them."""
    try:
        return 0, float(cell.partition(" [")[0].strip("<>?*†").replace(",", "")), cell
    except ValueError:
        return 1, 0.0, cell
