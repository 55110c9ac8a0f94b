"""Where the sums of test sets are kept while a standing is computed: in memory, or in a folder of files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from weakref import finalize

import numpy as np

from .results import Results
from .set_sums import SetSums
from .tails import Floats, Intervals

# Up to so many bytes sums stay in memory.
_IN_MEMORY = 64 << 20
# Of a sum of correct items, and a share of that of all items, which many systems have in common.
_BYTES_PER_SUM = 3


@dataclass(frozen=True, kw_only=True)
class KnownIntervals:
    """Of figures that follow from sums which have not changed: arrays over systems × metrics."""

    systems: Sequence[str]
    metrics: Sequence[str]
    low: Floats
    high: Floats

    def of(self, systems: Iterable[str], metric: str) -> Intervals:
        """NaN where a system is not known."""
        rows = {name: row for row, name in enumerate(self.systems)}
        at = np.array([rows.get(name, -1) for name in systems], dtype=np.int64)
        column = self.metrics.index(metric)
        low, high = (np.where(at < 0, np.nan, bounds[at, column]) for bounds in (self.low, self.high))
        return low, high


class SumsStore:
    """By the code of the test set; None where no system has a valid file. Here in memory."""

    def __init__(self, known: Mapping[str, KnownIntervals] | None = None) -> None:
        """`known` are intervals by scope, which are not computed again."""
        self._sums: dict[str, SetSums | None] = {}
        self.known = known or {}

    def has(self, code: str) -> bool:
        return code in self._sums

    def read(self, code: str) -> SetSums | None:
        return self._sums[code]

    def write(self, code: str, sums: SetSums | None) -> None:
        self._sums[code] = sums


class FolderStore(SumsStore):
    """The sums themselves in files of a temporary folder, which is removed together with the store.

    Each is mapped into memory while it is read, and no longer: together they may be larger than the memory.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(mkdtemp(prefix="arboretum-sums-"))
        self._paths: dict[str, Path] = {}
        finalize(self, rmtree, self.folder, ignore_errors=True)

    def write(self, code: str, sums: SetSums | None) -> None:
        if sums is not None:
            # Codes come from files of other people and are no names of files.
            self._paths[code] = self.folder / f"{len(self._paths)}.npy"
            np.save(self._paths[code], sums.sums)
            sums = replace(sums, sums=sums.sums[:0].copy())
        super().write(code, sums)

    def read(self, code: str) -> SetSums | None:
        sums = super().read(code)
        if sums is None:
            return None
        return replace(sums, sums=np.asarray(np.load(self._paths[code], mmap_mode="r")))


def temporary_store(results: Results, metrics: Sequence[str], replicates: int) -> SumsStore:
    size = len(results.systems) * len(results.codes) * len(metrics) * replicates * _BYTES_PER_SUM
    return SumsStore() if size <= _IN_MEMORY else FolderStore()
