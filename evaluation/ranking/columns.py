"""The counts of all systems on one test set as one matrix, ready to be resampled.

F1 = 2 · correct / (gold + system), so two columns of counts by unit make one score: `correct`, and the size
`gold + system`. Many columns are equal (all word metrics have the same size, half of the systems use the
segmentation of the baseline) and are stored once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..reading.fields import Ints
from .results import Results

# Sums of whole numbers below this are exact in single precision, in any order of addition.
_EXACT_IN_SINGLE = 1 << 24
_GOLD, _SYSTEM, _CORRECT = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Columns:
    """One test set. `size_at` and `correct_at` give the column of each system, by row, and metric."""

    code: str
    # The indices of the systems with a valid file: the rows of the next two.
    systems: Ints
    size_at: Ints
    correct_at: Ints
    # Units × columns, in the narrowest type.
    values: NDArray[np.unsignedinteger]

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

    def f1(self, totals: NDArray[np.floating]) -> NDArray[np.float64]:
        """Systems × metrics × replicates."""
        size = totals[self.size_at].astype(np.float64)
        correct = totals[self.correct_at].astype(np.float64)
        correct *= 2
        # Where the size is 0, so is `correct`, and 0 / 1 gives the required 0.
        return np.divide(correct, np.maximum(size, 1, out=size), out=correct)


def columns_of(results: Results, code: str, metrics: Sequence[str]) -> Columns | None:
    """The columns of one test set; None if no system has a valid file."""
    known: dict[bytes, int] = {}
    systems, sizes, corrects = [], [], []
    gold: NDArray[np.int32] | None = None
    kind = np.dtype(np.int64)
    for row, name in enumerate(results.systems):
        outcome = results.outcome(name, code)
        if outcome.status != "valid":
            continue
        counts = outcome.counts
        missing = [metric for metric in metrics if metric not in counts.metrics]
        if missing:
            raise ValueError(f"{name} was not scored for {', '.join(missing)} on {code}")
        values = counts.values[:, [counts.metrics.index(metric) for metric in metrics]]
        if gold is None:
            gold = values[:, :, _GOLD]
        elif not np.array_equal(gold, values[:, :, _GOLD]):
            raise ValueError(f"the systems were scored against different gold files on {code}; see {name}")
        size = values[:, :, _GOLD].astype(kind) + values[:, :, _SYSTEM]
        systems.append(row)
        sizes.append([known.setdefault(column.tobytes(), len(known)) for column in size.T])
        correct = values[:, :, _CORRECT].astype(kind)
        corrects.append([known.setdefault(column.tobytes(), len(known)) for column in correct.T])
    if gold is None:
        return None
    if not len(gold):
        raise ValueError(f"the test set {code} has no units")
    matrix = np.frombuffer(b"".join(known), dtype=kind).reshape(len(known), -1)
    narrow = matrix.astype(np.min_scalar_type(int(matrix.max(initial=0))))
    return Columns(
        code, np.array(systems), np.array(sizes), np.array(corrects), np.ascontiguousarray(narrow.T)
    )
