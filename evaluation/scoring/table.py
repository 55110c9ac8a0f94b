"""A table of sums by unit, stored as sparse cells: for example induced classes × gold tags.

Tables of units add up to the table of the file, so that everything computed from them can be resampled like
counts. A metric with sums of its own kind uses a table of one row whose columns name the sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..reading.fields import Ints


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """In unit `unit[n]`, the cell at (`row[n]`, `column[n]`) is `count[n]`; all other cells are 0.

    The names of rows and columns are in the order of strings, which decides between equal cells.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    units: int
    unit: Ints
    row: Ints
    column: Ints
    count: Ints

    @classmethod
    def from_items(
        cls,
        rows: Sequence[str],
        columns: Sequence[str],
        units: int,
        *,
        unit: Ints,
        row: Ints,
        column: Ints,
        count: Ints | None = None,
    ) -> Table:
        """Add up items, each of which counts once, or `count` times, in one cell of one unit.

        >>> items = dict(unit=np.array([0, 0, 1]), row=np.array([1, 1, 0]), column=np.array([0, 0, 0]))
        >>> table = Table.from_items(["x", "a"], ["NOUN"], 2, **items)
        >>> table.rows, table.total().tolist(), table.count.tolist()
        (('a', 'x'), [[2], [1]], [2, 1])
        """
        row_order, column_order = _order(rows), _order(columns)
        cells = len(rows) * len(columns)
        codes = unit * cells + row_order[row] * len(columns) + column_order[column]
        used, place = np.unique(codes, return_inverse=True)
        weights = np.ones(len(codes), dtype=np.int64) if count is None else count
        counts = np.zeros(len(used), dtype=np.int64)
        np.add.at(counts, place, weights)
        cell = used % cells if cells else used
        return cls(
            tuple(sorted(rows)),
            tuple(sorted(columns)),
            units,
            used // cells if cells else used,
            cell // max(1, len(columns)),
            cell % max(1, len(columns)),
            counts,
        )

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.columns)

    @property
    def cell(self) -> Ints:
        """Each entry's cell as one number."""
        return self.row * len(self.columns) + self.column

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to count, so that no figure follows from it."""
        return not self.rows

    def total(self) -> Ints:
        """The table of the whole file: rows × columns."""
        total = np.zeros(self.shape, dtype=np.int64)
        np.add.at(total, (self.row, self.column), self.count)
        return total

    def by_unit(self) -> Ints:
        """The tables of all units: units × rows × columns."""
        tables = np.zeros((self.units, *self.shape), dtype=np.int64)
        np.add.at(tables, (self.unit, self.row, self.column), self.count)
        return tables


def _order(names: Sequence[str]) -> Ints:
    """The place of each name among the sorted ones."""
    place = np.empty(len(names), dtype=np.int64)
    place[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return place
