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
from .results import Results
from .table_columns import TableColumns, table_columns_of

# Sums of whole numbers below these are exact in single and double precision, in any order of addition.
_EXACT_IN_SINGLE = 1 << 24
_EXACT_IN_DOUBLE = 1 << 53
_GOLD, _SYSTEM, _CORRECT = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Columns:
    """One test set. `size_at` and `correct_at` give the column of each system, by row, and metric.

    `gold_at` gives that of gold. Where precision and recall are averaged first, the size is that of the
    system alone.
    """

    code: str
    # The indices of the systems with a valid file: the rows of the next two.
    systems: Ints
    size_at: Ints
    correct_at: Ints
    gold_at: Ints
    # Columns × units.
    values: NDArray[np.floating]
    averaging: Averaging
    # The places of the metrics with counts, and those with tables.
    counted: Ints
    tables: TableColumns

    @property
    def units(self) -> int:
        return int(self.values.shape[1])

    @property
    def bound(self) -> int:
        """No sum can exceed the number of units times the largest value."""
        return self.units * int(self.values.max(initial=0))

    def totals(self, multiplicity: NDArray[np.float32]) -> NDArray[np.floating]:
        """The sum of every column in every replicate: columns × replicates, exact on every machine."""
        return self.values @ multiplicity.T.astype(self.values.dtype, copy=False)


def columns_of(results: Results, code: str, metrics: Sequence[str]) -> Columns | None:
    """The columns of one test set; None if no system has a valid file."""
    averaging = results.rules.averaging
    counted = [n for n, m in enumerate(metrics) if not isinstance(results.definitions[m], TableMetric)]
    names = [metrics[n] for n in counted]
    valid = [n for n, s in enumerate(results.systems) if results.outcome(s, code).status == "valid"]
    if not valid:
        return None
    values = _values(results, code, valid, names)
    gold = next(iter(values.values()))[:, :, _GOLD].astype(np.int64)
    if not len(gold):
        raise ValueError(f"the test set {code} has no units")
    known: dict[bytes, int] = {}

    def place(columns: Ints) -> list[int]:
        return [known.setdefault(column.tobytes(), len(known)) for column in columns.T]

    sizes, corrects = [], []
    for row in valid:
        system, correct = values[row][:, :, _SYSTEM], values[row][:, :, _CORRECT]
        sizes.append(place(system.astype(np.int64) + (0 if averaging == "precision-recall" else gold)))
        corrects.append(place(correct.astype(np.int64)))
    golds = [0] * len(names) if averaging == "figures" else place(gold)
    matrix = np.frombuffer(b"".join(known), dtype=np.int64).reshape(len(known), len(gold))
    bound = len(gold) * int(matrix.max(initial=0))
    if bound >= _EXACT_IN_DOUBLE:
        raise ValueError(f"the counts of {code} are too large to be summed exactly")
    shape = (len(valid), len(names))
    return Columns(
        code,
        np.array(valid),
        np.array(sizes, dtype=np.int64).reshape(shape),
        np.array(corrects, dtype=np.int64).reshape(shape),
        np.array(golds, dtype=np.int64),
        matrix.astype(np.float32 if bound < _EXACT_IN_SINGLE else np.float64),
        averaging,
        np.array(counted, dtype=np.int64),
        table_columns_of(results, code, metrics, valid),
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
