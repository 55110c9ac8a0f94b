"""Statistics of bootstrap replicates: the tails of every figure, who was above whom, and ranks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..packing import pack, unpack
from ..reading.fields import Ints, Mask
from ..scoring.presentation import Presentation
from .counting import count_above, count_above_next, count_ranks
from .printed import printed
from .tails import Floats, Tails

_STATE = "replicates 2"
_ARRAYS = ("above", "next_above", "rank_counts")


class Replicates:
    """Statistics of the replicates (tails and counts), without the replicates themselves.

    Arrays over scopes × metrics × systems. Who was above whom is counted for all pairs of the metrics in
    `compared`; by the others, for each system and the one that follows it.
    """

    def __init__(
        self,
        presentations: Sequence[Presentation],
        compared: Sequence[bool],
        following: Ints,
        numbered: Mask,
        replicates: int,
    ) -> None:
        """`following` has the system after each one, by scope and metric; the last is its own."""
        shape = following.shape
        self._presentations, self._following, self._numbered = presentations, following, numbered
        self._place = {number: place for place, number in enumerate(np.flatnonzero(compared).tolist())}
        # One per scope: shortening them one after the other takes less memory than all at once.
        self.tails = [Tails(replicates) for _ in following]
        kind = np.int32 if replicates < 1 << 31 else np.int64
        self.above = np.zeros((shape[0], len(self._place), shape[2], shape[2]), dtype=kind)
        self.next_above = np.zeros((*shape, 2), dtype=np.int64)
        self.rank_counts = np.zeros((*shape, int(numbered.sum()) + 1), dtype=kind)

    def add(self, scope: int, macro: Floats) -> None:
        """Add the averages over one scope in some replicates: metrics × systems × replicates."""
        self.tails[scope].add(macro)
        for number, figures in enumerate(macro):
            presentation, place = self._presentations[number], (scope, number)
            values = figures if presentation.sign > 0 else -figures
            if number in self._place:
                self.above[scope, self._place[number]] += count_above(values)
            self.next_above[place] += count_above_next(values, self._following[place])
            # Equal in print is a shared rank, the better one, because only systems above count.
            self.rank_counts[place] += count_ranks(printed(figures, presentation), self._numbered)

    def to_bytes(self, batches: int) -> bytes:
        """The state after so many batches."""
        tails = [tails.state() for tails in self.tails]
        arrays = {
            "low": np.stack([low for low, _ in tails]),
            "high": np.stack([high for _, high in tails]),
            "batches": np.array([batches]),
            **{name: getattr(self, name) for name in _ARRAYS},
        }
        return pack(_STATE, arrays, {})

    def restore(self, stored: bytes) -> int:
        """Continue from such a state; the number of batches that are done."""
        arrays, _ = unpack(_STATE, stored)
        for tails, low, high in zip(self.tails, arrays["low"], arrays["high"], strict=True):
            tails.restore(low, high)
        for name in _ARRAYS:
            setattr(self, name, arrays[name].copy())
        return int(arrays["batches"][0])

    def join(self, other: Replicates) -> None:
        for tails, others in zip(self.tails, other.tails, strict=True):
            tails.join(others)
        for name in _ARRAYS:
            getattr(self, name)[...] += getattr(other, name)
