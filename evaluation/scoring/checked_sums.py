"""Sums of profiles of third parties are checked: shapes, whole numbers, and units that add up to the file.

An error in them is a `ProfileError` that names the profile and the metric: no team is to blame for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..reading.fields import Ints
from .clusterings import MissingPackage
from .compare import Comparison
from .metric import Floats, Units
from .profile import ProfileError
from .table import Table

T = TypeVar("T")
WHOLE = "whole numbers from 0"


def checked_counts(
    name: str, comparison: Comparison, count: Callable[[Comparison, Units], Ints], units: Units
) -> Ints:
    """Units × (gold, system, correct)."""
    counts = _call(name, comparison, lambda: count(comparison, units))
    expected = f"{units.number} rows of three counts, {WHOLE}"
    _require(name, comparison, _is_whole(counts, (units.number, 3)), expected)
    whole = _call(name, comparison, lambda: count(comparison, _whole_file(units)))
    adds_up = _is_whole(whole, (1, 3)) and np.array_equal(whole[0], counts.sum(axis=0))
    _require(name, comparison, adds_up, "counts of units that add up to those of the file")
    gold, system, correct = counts.sum(axis=0).tolist()
    _require(name, comparison, correct <= min(gold, system), "no more correct items than there are items")
    return counts


def checked_table(
    name: str, comparison: Comparison, count: Callable[[Comparison, Units], Table], units: Units
) -> Table:
    table = _call(name, comparison, lambda: count(comparison, units))
    _require(name, comparison, _is_table(table, units.number), f"a table of units, rows and columns, {WHOLE}")
    whole = _call(name, comparison, lambda: count(comparison, _whole_file(units)))
    adds_up = _is_table(whole, 1) and np.array_equal(whole.total(), table.total())
    _require(name, comparison, adds_up, "tables of units that add up to that of the file")
    return table


def checked_figure(
    name: str, comparison: Comparison, rule: Callable[[Floats], Floats], table: Table
) -> float:
    totals = table.total().astype(np.float64)
    figure = np.asarray(_call(name, comparison, lambda: rule(totals)))
    is_number = figure.shape == () and figure.dtype.kind in "fiu" and bool(np.isfinite(figure))
    _require(name, comparison, is_number, "one number for a table")
    return float(figure)


def _call(name: str, comparison: Comparison, function: Callable[[], T]) -> T:
    try:
        return function()
    except Exception as error:
        # Whatever it is, it is an error of the profile, and must be reported as one.
        if isinstance(error, MemoryError | MissingPackage):
            raise
        raise _error(name, comparison, f"{type(error).__name__}: {error}") from error


def _require(name: str, comparison: Comparison, holds: bool, expected: str) -> None:
    if not holds:
        raise _error(name, comparison, f"it should give {expected}")


def _error(name: str, comparison: Comparison, what: str) -> ProfileError:
    return ProfileError(f"the profile {comparison.profile.name} cannot compute {name}: {what}")


def _whole_file(units: Units) -> Units:
    """The file as a single unit."""
    return Units(
        1,
        {items: np.zeros_like(unit) for items, unit in units.gold.items()},
        {items: np.zeros_like(unit) for items, unit in units.system.items()},
    )


def _is_whole(array: Any, shape: tuple[int, ...]) -> bool:
    return (
        isinstance(array, np.ndarray)
        and array.shape == shape
        and array.dtype.kind in "iu"
        and _least(array) >= 0
    )


def _least(array: Any) -> int:
    return int(array.min(initial=0))


def _is_table(table: Any, units: int) -> bool:
    if not isinstance(table, Table) or table.units != units:
        return False
    parts = (table.unit, table.row, table.column, table.count)
    if not all(_is_whole(part, (len(table.count),)) for part in parts):
        return False
    bounds = (units, len(table.rows), len(table.columns))
    inside = all(int(part.max(initial=-1)) < bound for part, bound in zip(parts, bounds, strict=False))
    return inside and bool((np.diff(table.unit) >= 0).all())
