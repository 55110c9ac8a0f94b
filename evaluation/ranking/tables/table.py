"""A table as rows of text; `ranking.render` writes it in a format."""

from __future__ import annotations

from dataclasses import dataclass

NONE = "–"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its head, and whether it has numbers, which are right-aligned."""

    head: str
    numeric: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `lines` are the rows, counted from 0, below which a line is drawn."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: frozenset[int] = frozenset()


def text_column(head: str) -> Column:
    return Column(head, numeric=False)
