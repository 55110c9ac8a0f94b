"""Tables that a scorer outside of the evaluator reports, and the rules by which figures follow from them.

In: what a scorer declares of a metric, and the tables in its report. Out: a `TableRule`, and tables by unit
like those of profiles. Whatever is wrong is a `ProfileError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..reading.fields import Ints
from .clusterings import many_to_one, one_to_one, v_measure, variation_of_information
from .metric import Floats
from .presentation import Presentation
from .profile import ProfileError
from .table import Table

MAX_CELLS = 100_000
"""Of a table: rows × columns."""
MAX_COUNT = 2**31 - 1
"""Of a unit, or of one of its cells; larger ones cannot be stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRule:
    """A metric whose figure follows from a table of the report."""

    table: str
    rule: Callable[[Floats], Floats]


RULES: Mapping[str, Callable[[Floats], Floats]] = {
    "many-to-one": many_to_one,
    "one-to-one": one_to_one,
    "v-measure": v_measure,
    "variation-of-information": variation_of_information,
}
USUAL: Mapping[str, Presentation] = {
    name: Presentation(explanation="", kind="accuracy") for name in ("many-to-one", "one-to-one")
} | {
    "v-measure": Presentation(explanation="", kind="V-measure"),
    "variation-of-information": Presentation(explanation="", kind="bits", factor=1, better="lower"),
}
"""How figures of each rule are printed, unless the scorer says otherwise."""


def find_rule(metric: str, table: object, rule: object) -> TableRule:
    if not isinstance(table, str) or not table.isidentifier() or len(table) > 30:
        raise ProfileError(f"{metric}: table: expected a name of letters, digits and underscores")
    if not isinstance(rule, str) or rule not in RULES:
        raise ProfileError(f"{metric}: rule: expected one of {', '.join(RULES)}")
    return TableRule(table=table, rule=RULES[rule])


def read_table(name: str, entry: Mapping[str, Any], units: int) -> Table:
    """Cells are [row, column, count], the first two as places in the lists of names."""
    rows, columns = (_names(name, part, entry.get(part)) for part in ("rows", "columns"))
    if len(rows) * len(columns) > MAX_CELLS:
        raise ProfileError(f"table {name}: expected at most {MAX_CELLS} cells")
    written = entry.get("units")
    if not isinstance(written, list) or len(written) != units:
        number = len(written) if isinstance(written, list) else "no list"
        raise ProfileError(f"table {name}: units: found {number}, expected {units} lists of cells")
    bounds = len(rows), len(columns)
    for number, cells in enumerate([*written, entry.get("total")], start=1):
        if not isinstance(cells, list) or not all(_is_cell(cell, bounds) for cell in cells):
            place = f"units: number {number}" if number <= units else "total"
            raise ProfileError(f"table {name}: {place}: expected cells: row, column, count")
    table = _table(rows, columns, written)
    if not np.array_equal(table.total(), _table(rows, columns, [entry["total"]]).total()):
        raise ProfileError(f"table {name}: the units do not add up to total")
    return table


def _table(rows: list[str], columns: list[str], units: list[list[list[int]]]) -> Table:
    cells = [(number, *cell) for number, unit in enumerate(units) for cell in unit]
    array: Ints = np.array(cells, dtype=np.int64).reshape(len(cells), 4)
    unit, row, column, count = array.T
    return Table.from_items(rows, columns, len(units), unit=unit, row=row, column=column, count=count)


def _names(table: str, part: str, names: object) -> list[str]:
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise ProfileError(f"table {table}: {part}: expected a list of names")
    if len(set(names)) != len(names):
        raise ProfileError(f"table {table}: {part}: a name is listed twice")
    return names


def _is_cell(cell: object, bounds: tuple[int, int]) -> bool:
    if not isinstance(cell, list) or len(cell) != 3 or not all(type(number) is int for number in cell):
        return False
    row, column, count = cell
    inside: bool = 0 <= row < bounds[0] and 0 <= column < bounds[1] and 0 <= count <= MAX_COUNT
    return inside
