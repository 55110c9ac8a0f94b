"""Percentile intervals without keeping all replicates in memory.

A 95% interval is decided by the lowest and the highest few per cent of the replicates; the middle is
dropped. The result does not depend on the order of the replicates, so that parts can be joined freely.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TAIL = 0.025
# The least number of new replicates after which the tails are shortened.
_PENDING = 250
# Up to so many replicates, sorting them all is faster than separating the tails.
_SORTED_WHOLE = 4000


class Tails:
    """The lowest and highest replicates of many figures; the last axis of every array is the replicates."""

    def __init__(self, replicates: int) -> None:
        self._replicates = replicates
        self._position = TAIL * (replicates - 1)
        self._keep = min(replicates, int(self._position) + 2)
        self._low: list[Floats] = []
        self._high: list[Floats] = []

    def add(self, values: Floats) -> None:
        self._low.append(values)
        self._high.append(values)
        # As many as are kept, or a batch: little memory, and little is compared more than twice.
        if sum(part.shape[-1] for part in self._low) >= self._keep + max(_PENDING, self._keep):
            self._shorten()

    def join(self, other: Tails) -> None:
        """Add the tails from another process."""
        self._low += other._low
        self._high += other._high
        self._shorten()

    def state(self) -> tuple[Floats, Floats]:
        """What `restore` needs to continue."""
        self._shorten()
        return self._low[0], self._high[0]

    def restore(self, low: Floats, high: Floats) -> None:
        self._low, self._high = [low], [high]

    def interval(self) -> tuple[Floats, Floats]:
        """The 2.5th and the 97.5th percentile, interpolated linearly between two replicates."""
        self._shorten()
        low = np.sort(self._low[0], axis=-1)
        high = -np.sort(-self._high[0], axis=-1)
        index = int(self._position)
        fraction, following = self._position - index, min(index + 1, self._keep - 1)
        return (
            low[..., index] + fraction * (low[..., following] - low[..., index]),
            high[..., index] + fraction * (high[..., following] - high[..., index]),
        )

    def _shorten(self) -> None:
        low, high = np.concatenate(self._low, axis=-1), np.concatenate(self._high, axis=-1)
        if low.shape[-1] > self._keep:
            # Copies, because slices would hold on to the whole arrays.
            low = np.partition(low, self._keep - 1, axis=-1)[..., : self._keep].copy()
            high = np.partition(high, -self._keep, axis=-1)[..., -self._keep :].copy()
        self._low, self._high = [low], [high]


def percentiles(values: Floats) -> tuple[Floats, Floats]:
    """The same interval where all replicates are in memory; the order of `values` is not kept."""
    replicates = values.shape[-1]
    position = TAIL * (replicates - 1)
    index = int(position)
    fraction, following = position - index, min(index + 1, replicates - 1)
    if replicates <= _SORTED_WHOLE:
        values.sort(axis=-1)
    else:
        values.partition(following, axis=-1)
        values[..., : following + 1].sort(axis=-1)
        values[..., following + 1 :].partition(replicates - 2 * following - 2, axis=-1)
        values[..., replicates - following - 1 :].sort(axis=-1)
    low, high = values[..., index], values[..., replicates - 1 - index]
    return (
        low + fraction * (values[..., following] - low),
        high + fraction * (values[..., replicates - 1 - following] - high),
    )
