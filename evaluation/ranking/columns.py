"""The sums of all systems on one test set as matrices, ready to be resampled.

Most metrics have counts. F1 = 2 · correct / (gold + system), so two columns of counts by unit make one score:
`correct`, and the size `gold + system`; many columns are equal (all word metrics have the same size, half of
the systems use the segmentation of the baseline) and are stored once. Where precision and recall are averaged
first, the columns are `correct`, `system` and `gold`. Metrics of tables are in `table_columns`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..reading.fields import Ints
from ..scoring.metric import TableMetric
from ..scoring.profile import Averaging
from .aggregate import Policy
from .results import Results
from .table_columns import TableColumns, table_columns_of
from .tails import Floats

# Sums of whole numbers below this are exact in single precision, in any order of addition.
_EXACT_IN_SINGLE = 1 << 24
_GOLD, _SYSTEM, _CORRECT = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Columns:
    """One test set. `size_at`, `correct_at` and `gold_at` give the column of each system, by row, and metric.

    Where precision and recall are averaged first, the size is that of the system alone.
    """

    code: str
    # The indices of the systems with a valid file: the rows of the next three.
    systems: Ints
    size_at: Ints
    correct_at: Ints
    gold_at: Ints
    # Units × columns, in the narrowest type.
    values: NDArray[np.unsignedinteger]
    averaging: Averaging
    # The places of the metrics with counts, and those with tables.
    counted: Ints
    tables: TableColumns

    @property
    def units(self) -> int:
        return len(self.values)

    def totals(self, multiplicity: NDArray[np.float32]) -> NDArray[np.floating]:
        """The sum of every column in every replicate: columns × replicates, exact on every machine.

        A sum cannot exceed the number of units times the largest value; that decides the precision needed.
        """
        bound = self.units * int(self.values.max(initial=0))
        if bound < _EXACT_IN_SINGLE:
            product: NDArray[np.floating] = multiplicity @ self.values.astype(np.float32)
        elif bound < 1 << 53:
            product = multiplicity.astype(np.float64) @ self.values.astype(np.float64)
        else:
            raise ValueError(f"the counts of {self.code} are too large to be summed exactly")
        return np.ascontiguousarray(product.T)

    def f1(self, totals: NDArray[np.floating]) -> Floats:
        """Systems × metrics with counts × replicates."""
        size = totals[self.size_at].astype(np.float64)
        if self.averaging == "precision-recall":
            size += totals[self.gold_at]
        correct = totals[self.correct_at].astype(np.float64)
        correct *= 2
        return _divide(correct, size)

    def figures(self, multiplicity: NDArray[np.float32]) -> Floats:
        """The figures of this test set: systems × metrics × replicates."""
        counted = self.f1(self.totals(multiplicity))
        return self._with_tables(counted, multiplicity)

    def terms(self, multiplicity: NDArray[np.float32]) -> list[Floats]:
        """What is averaged over test sets: each an array systems × metrics × replicates.

        The figures; or precision and recall; or the counts `2 · correct` and `gold + system` themselves.
        """
        if self.averaging == "figures":
            return [self.figures(multiplicity)]
        totals = self.totals(multiplicity)
        correct, size = (totals[at].astype(np.float64) for at in (self.correct_at, self.size_at))
        if self.averaging == "micro":
            numerators, denominators = 2 * correct, size
        else:
            gold = totals[self.gold_at].astype(np.float64)
            numerators, denominators = _divide(correct.copy(), size), _divide(correct, gold)
        return [self._with_tables(part, multiplicity) for part in (numerators, denominators)]

    def _with_tables(self, counted: Floats, multiplicity: NDArray[np.float32]) -> Floats:
        """The metrics with tables in their places among those with counts."""
        if not len(self.tables.metrics):
            return counted
        figures = np.empty(
            (len(self.systems), len(self.counted) + len(self.tables.metrics), len(multiplicity))
        )
        figures[:, self.counted] = counted
        figures[:, self.tables.metrics] = self.tables.figures(multiplicity)
        return figures


def _divide(numerator: Floats, denominator: Floats) -> Floats:
    """In place. Where the denominator is 0, so is the numerator, and 0 / 1 gives the required 0."""
    return np.divide(numerator, np.maximum(denominator, 1, out=denominator), out=numerator)


def columns_of(
    results: Results, code: str, metrics: Sequence[str], policy: Policy = "exclude"
) -> Columns | None:
    """The columns of one test set; None if no system has a valid file.

    In micro-averages, the gold items of a missing file count if the policy is `zero`.
    """
    averaging = results.rules.averaging
    counted = [n for n, m in enumerate(metrics) if not isinstance(results.definitions[m], TableMetric)]
    names = [metrics[n] for n in counted]
    valid = [n for n, s in enumerate(results.systems) if results.outcome(s, code).status == "valid"]
    if not valid:
        return None
    systems = list(range(len(results.systems))) if averaging == "micro" and policy == "zero" else valid
    values = _values(results, code, valid, names)
    gold = next(iter(values.values()))[:, :, _GOLD].astype(np.int64)
    if not len(gold):
        raise ValueError(f"the test set {code} has no units")
    known: dict[bytes, int] = {}

    def place(columns: Ints) -> list[int]:
        return [known.setdefault(column.tobytes(), len(known)) for column in columns.T]

    sizes, corrects = [], []
    for row in systems:
        system = values[row][:, :, _SYSTEM] if row in values else np.zeros_like(gold)
        correct = values[row][:, :, _CORRECT] if row in values else np.zeros_like(gold)
        sizes.append(place(system.astype(np.int64) + (0 if averaging == "precision-recall" else gold)))
        corrects.append(place(correct.astype(np.int64)))
    golds = [place(gold) if averaging == "precision-recall" else [0] * len(names)] * len(systems)
    matrix = np.frombuffer(b"".join(known), dtype=np.int64).reshape(len(known), len(gold))
    narrow = matrix.astype(np.min_scalar_type(int(matrix.max(initial=0))))
    shape = (len(systems), len(names))
    return Columns(
        code,
        np.array(systems),
        np.array(sizes, dtype=np.int64).reshape(shape),
        np.array(corrects, dtype=np.int64).reshape(shape),
        np.array(golds, dtype=np.int64).reshape(shape),
        np.ascontiguousarray(narrow.T),
        averaging,
        np.array(counted, dtype=np.int64),
        table_columns_of(results, code, metrics, systems),
    )


def _values(
    results: Results, code: str, valid: Sequence[int], names: Sequence[str]
) -> dict[int, NDArray[np.int32]]:
    """The counts of each system with a valid file, by its row: units × metrics × 4."""
    values: dict[int, NDArray[np.int32]] = {}
    systems = list(results.systems)
    for row in valid:
        name, counts = systems[row], results.outcome(systems[row], code).counts
        missing = [metric for metric in names if metric not in counts.metrics]
        if missing:
            raise ValueError(f"{name} was not scored for {', '.join(missing)} on {code}")
        values[row] = counts.values[:, [counts.metrics.index(metric) for metric in names]]
        if not np.array_equal(values[valid[0]][:, :, _GOLD], values[row][:, :, _GOLD]):
            raise ValueError(f"the systems were scored against different gold files on {code}; see {name}")
    return values
