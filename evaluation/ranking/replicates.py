"""Statistics of bootstrap replicates: the tails of every figure, who was above whom, and ranks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..packing import pack, unpack
from ..reading.fields import Mask
from .philox import BATCH
from .tails import Floats, Tails

_STATE = "replicates 1"


class Replicates:
    """Statistics of the replicates (tails and counts), without the replicates themselves."""

    def __init__(self, scopes: int, signs: Sequence[int], numbered: Mask, replicates: int) -> None:
        """`signs` has -1 for every metric of which lower figures are better, 1 for the others."""
        shape = (scopes, len(signs), len(numbered))
        self._signs, self._numbered = signs, numbered
        # One per scope: shortening them one after the other takes less memory than all at once.
        self.tails = [Tails(replicates) for _ in range(scopes)]
        self.above = np.zeros((*shape, len(numbered)), dtype=np.int64)
        self.rank_counts = np.zeros((*shape, int(numbered.sum()) + 1), dtype=np.int64)

    def add(self, macro: Floats) -> None:
        """Add the macro-averages of some replicates: scopes × metrics × systems × replicates."""
        for tails, values in zip(self.tails, macro, strict=True):
            tails.add(values)
        systems, ranks = self.rank_counts.shape[-2:]
        # A batch has at most 250 replicates, so a byte can hold such a count.
        small = np.min_scalar_type(max(BATCH, systems))
        offsets = (np.arange(systems) * ranks)[:, None]
        for place in np.ndindex(macro.shape[:2]):
            values = macro[place] if self._signs[place[1]] > 0 else -macro[place]
            above = (values[:, None, :] > values[None, :, :]).view(np.uint8)
            self.above[place] += np.add.reduce(above, axis=2, dtype=small)
            # Ties share the better rank, because only systems strictly above count.
            rank = np.add.reduce(above[self._numbered], axis=0, dtype=small)
            flat = np.bincount((rank + offsets).ravel(), minlength=systems * ranks)
            self.rank_counts[place] += flat.reshape(systems, ranks)

    def to_bytes(self, batches: int) -> bytes:
        """The state after so many batches."""
        tails = [tails.state() for tails in self.tails]
        arrays = {
            "low": np.stack([low for low, _ in tails]),
            "high": np.stack([high for _, high in tails]),
            "above": self.above,
            "rank_counts": self.rank_counts,
            "batches": np.array([batches]),
        }
        return pack(_STATE, arrays, {})

    def restore(self, stored: bytes) -> int:
        """Continue from such a state; the number of batches that are done."""
        arrays, _ = unpack(_STATE, stored)
        for tails, low, high in zip(self.tails, arrays["low"], arrays["high"], strict=True):
            tails.restore(low, high)
        self.above, self.rank_counts = arrays["above"].copy(), arrays["rank_counts"].copy()
        return int(arrays["batches"][0])

    def join(self, other: Replicates) -> None:
        for tails, others in zip(self.tails, other.tails, strict=True):
            tails.join(others)
        self.above += other.above
        self.rank_counts += other.rank_counts
