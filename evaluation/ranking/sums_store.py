"""Where the sums of test sets are kept while a standing is computed: in memory, or in a folder of files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from weakref import finalize

import numpy as np

from .results import Results
from .set_sums import SetSums

# Up to so many bytes sums stay in memory.
_IN_MEMORY = 64 << 20
# Of a sum of correct items, and a share of that of all items, which many systems have in common.
_BYTES_PER_SUM = 3


class SumsStore:
    """By the code of the test set; None where no system has a valid file. Here in memory."""

    def __init__(self) -> None:
        self._sums: dict[str, SetSums | None] = {}

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
