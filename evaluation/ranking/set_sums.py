"""The sums of all systems on one test set, in the sample itself and in every replicate of the bootstrap.

In: results and a code. Out: `SetSums`. All figures of the test set follow from them, and averages over
several test sets from those of each. The sums of a system do not depend on the other systems: those of an
earlier standing can be taken over, so that only new files are resampled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..packing import Buffer, Packed
from ..reading.fields import Ints
from .columns import columns_of
from .philox import BATCH, multiplicities
from .results import Results
from .tails import Floats

ONE = float(1 << 50)
"""Figures are rounded to multiples of 1 / ONE, so that sums over test sets are exact."""
ONE_OF_TABLES = float(1 << 40)
"""Figures of tables may be larger than 1."""
_LARGEST = float(1 << 14)
# Figures that are computed at once: few enough for the processor's cache.
_BLOCK = 1 << 15
# Replicates that are drawn before they are summed up together: one large product is faster than several.
_DRAWN = 4 * BATCH
_NAMES = ("systems", "metrics")
EVERYONE = slice(None)


@dataclass(frozen=True, kw_only=True, eq=False)
class SetSums(Packed):
    """One test set; systems are those with a valid file. The first of all replicates is the sample itself."""

    FORMAT: ClassVar[str] = "set sums 1"
    IS_COMPRESSED: ClassVar[bool] = False

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    averaging: str
    units: int
    # The places of the metrics with counts, and of those with tables.
    counted: Ints
    tables: Ints
    # Systems × metrics with counts: rows of `sums`; `gold_at` has one row for all systems.
    size_at: Ints
    correct_at: Ints
    gold_at: Ints
    # Sums of counts × replicates, equal ones stored once.
    sums: NDArray[np.unsignedinteger]
    # Systems × metrics with tables × replicates; NaN in the sample where a system has no figure.
    figures: Floats

    @classmethod
    def from_bytes(cls, stored: Buffer) -> SetSums:
        read = super().from_bytes(stored)
        names: dict[str, Any] = {name: tuple(getattr(read, name)) for name in _NAMES}
        return replace(read, **names)

    @property
    def replicates(self) -> int:
        return int(self.figures.shape[2]) - 1

    @cached_property
    def place(self) -> Mapping[str, int]:
        return {metric: place for place, metric in enumerate(self.metrics)}

    def plain(self) -> dict[str, dict[str, float]]:
        """The figures of the files themselves: by system and metric."""
        figures: dict[str, dict[str, float]] = {name: {} for name in self.systems}
        for metric, place in self.place.items():
            values = self._figures(place, slice(0, 1))[:, 0].tolist()
            for name, value in zip(self.systems, values, strict=True):
                if value == value:
                    figures[name][metric] = value
        return figures

    def resampled(self, metric: str) -> Floats:
        """The figures of a metric: systems × replicates."""
        figures = np.empty((len(self.systems), self.replicates))
        for rows in self.blocks():
            figures[rows] = self._figures(self.place[metric], slice(1, None), rows)
        return figures

    def blocks(self) -> Iterator[slice]:
        """A few systems at a time."""
        step = max(1, _BLOCK // (self.replicates + 1))
        for begin in range(0, len(self.systems), step):
            yield slice(begin, begin + step)

    def terms(self, metric: str, rows: slice = EVERYONE) -> list[NDArray[np.int64]]:
        """What is averaged over test sets, as whole numbers: each an array systems × replicates.

        The figures; or precision and recall; or the counts `2 · correct` and `gold + system` themselves.
        """
        place, replicates = self.place[metric], slice(1, None)
        if place in self.tables:
            figures = self._figures(place, replicates, rows)
            largest = float(np.abs(figures).max(initial=0))
            if largest >= _LARGEST:
                raise ValueError(
                    f"figures must be below {_LARGEST:,.0f} to be averaged; there was {largest:,.0f}"
                )
            return [_whole(figures, ONE_OF_TABLES)]
        if self.averaging == "figures":
            return [_whole(self._figures(place, replicates, rows), ONE)]
        number = self._number(place)
        correct = self._sums(self.correct_at[rows, number], replicates)
        size = self._sums(self.size_at[rows, number], replicates)
        if self.averaging == "micro":
            return [_whole(correct, 2), _whole(size, 1)]
        gold = np.maximum(self._sums(self.gold_at[number], replicates), 1)
        return [_whole(correct / np.maximum(size, 1), ONE), _whole(correct / gold, ONE)]

    def gold(self, metric: str) -> Floats:
        """The gold items of a metric with counts, in every replicate."""
        return self._sums(self.gold_at[self._number(self.place[metric])], slice(1, None))

    def of_systems(self, systems: Collection[str]) -> SetSums:
        """Without the other ones, and without the sums that only these had."""
        rows = np.array([row for row, name in enumerate(self.systems) if name in systems], dtype=np.int64)
        places = (self.size_at[rows], self.correct_at[rows], self.gold_at)
        used = np.unique(np.concatenate([at.ravel() for at in places]))
        size_at, correct_at, gold_at = (np.searchsorted(used, at) for at in places)
        return replace(
            self,
            systems=tuple(self.systems[row] for row in rows),
            size_at=size_at,
            correct_at=correct_at,
            gold_at=gold_at,
            sums=self.sums[used],
            figures=self.figures[rows],
        )

    def joined(self, other: SetSums) -> SetSums:
        """With the systems of another one, which has the same test set, metrics and replicates."""
        systems = (*self.systems, *other.systems)
        order = np.array(sorted(range(len(systems)), key=systems.__getitem__), dtype=np.int64)
        shift = len(self.sums)
        return replace(
            self,
            systems=tuple(systems[row] for row in order),
            size_at=np.concatenate([self.size_at, other.size_at.astype(np.int64) + shift])[order],
            correct_at=np.concatenate([self.correct_at, other.correct_at.astype(np.int64) + shift])[order],
            sums=np.concatenate([self.sums, other.sums]),
            figures=np.concatenate([self.figures, other.figures])[order],
        )

    def _figures(self, place: int, replicates: slice, rows: slice = EVERYONE) -> Floats:
        if place in self.tables:
            figures: Floats = self.figures[rows, np.searchsorted(self.tables, place), replicates].copy()
            return figures
        number = self._number(place)
        size = self._sums(self.size_at[rows, number], replicates)
        if self.averaging == "precision-recall":
            size += self.sums[self.gold_at[number], replicates]
        correct = self._sums(self.correct_at[rows, number], replicates)
        correct *= 2
        # Where the denominator is 0, so is the numerator, and 0 / 1 gives the required 0.
        return np.divide(correct, np.maximum(size, 1, out=size), out=correct)

    def _sums(self, rows: NDArray[np.integer] | np.integer, replicates: slice) -> Floats:
        sums: Floats = self.sums[rows, replicates].astype(np.float64)
        return sums

    def _number(self, place: int) -> int:
        return int(np.searchsorted(self.counted, place))


def _whole(figures: Floats, scale: float) -> NDArray[np.int64]:
    figures *= scale
    return np.rint(figures, out=figures).astype(np.int64)


def make_set_sums(
    results: Results, code: str, metrics: Sequence[str], *, replicates: int, seed: int
) -> SetSums | None:
    """None if no system has a valid file."""
    columns = columns_of(results, code, metrics)
    if columns is None:
        return None
    names = list(results.systems)
    has_tables = bool(len(columns.tables.metrics))
    sums = np.empty((len(columns.values), replicates + 1), dtype=_narrowest(columns.bound))
    sums[:, 0] = columns.values.sum(axis=1, dtype=np.float64)
    figures = np.empty((len(columns.systems), len(columns.tables.metrics), replicates + 1))
    if has_tables:
        figures[:, :, 0] = columns.tables.plain()
    for begin in range(0, replicates, _DRAWN):
        drawn = _draws(seed, code, columns.units, begin, min(replicates, begin + _DRAWN))
        columns_drawn = slice(begin + 1, begin + 1 + len(drawn))
        sums[:, columns_drawn] = columns.totals(drawn)
        if has_tables:
            figures[:, :, columns_drawn] = columns.tables.figures(drawn)
    return SetSums(
        systems=tuple(names[row] for row in columns.systems),
        metrics=tuple(metrics),
        averaging=columns.averaging,
        units=columns.units,
        counted=columns.counted,
        tables=columns.tables.metrics,
        size_at=columns.size_at,
        correct_at=columns.correct_at,
        gold_at=columns.gold_at,
        sums=sums,
        figures=figures,
    )


def _draws(seed: int, code: str, units: int, begin: int, end: int) -> NDArray[np.float32]:
    """The draws of some replicates, of which the first begins a batch."""
    batches = [
        multiplicities(seed, code, units, first // BATCH, min(BATCH, end - first))
        for first in range(begin, end, BATCH)
    ]
    return np.concatenate(batches)


def _narrowest(bound: int) -> np.dtype[Any]:
    return np.dtype(next(kind for kind in ("<u2", "<u4", "<i8") if bound <= np.iinfo(kind).max))
