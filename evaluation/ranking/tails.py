"""Percentile intervals of replicates that never are in memory all at once.

A 95 % interval is decided by the lowest and the highest few per cent of the replicates; the middle is
forgotten as it comes. What is kept does not depend on the order of the replicates, so that parts can be
joined at will.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TAIL = 0.025
# New replicates are sorted in when so many have come.
_PENDING = 1000


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
        if sum(part.shape[-1] for part in self._low) >= self._keep + _PENDING:
            self._shorten()

    def join(self, other: Tails) -> None:
        """Take in what another process has seen of the same replicates."""
        self._low += other._low
        self._high += other._high
        self._shorten()

    def interval(self) -> tuple[Floats, Floats]:
        """The 2.5th and the 97.5th percentile, between two replicates by linear interpolation."""
        self._shorten()
        low = np.sort(self._low[0], axis=-1)
        high = -np.sort(-self._high[0], axis=-1)
        whole = int(self._position)
        part, following = self._position - whole, min(whole + 1, self._keep - 1)
        return (
            low[..., whole] + part * (low[..., following] - low[..., whole]),
            high[..., whole] + part * (high[..., following] - high[..., whole]),
        )

    def _shorten(self) -> None:
        low, high = np.concatenate(self._low, axis=-1), np.concatenate(self._high, axis=-1)
        if low.shape[-1] > self._keep:
            # Copies, because slices would hold on to the whole arrays.
            low = np.partition(low, self._keep - 1, axis=-1)[..., : self._keep].copy()
            high = np.partition(high, -self._keep, axis=-1)[..., -self._keep :].copy()
        self._low, self._high = [low], [high]
