"""Percentile intervals of many figures at once; the last axis of every array is the replicates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TAIL = 0.025
# Up to so many replicates, sorting them all is faster than separating the tails.
_SORTED_WHOLE = 1000
# Replicates that are in memory at once: few enough for the processor's cache.
_BLOCK = 1 << 16


def intervals(values: Floats) -> tuple[Floats, Floats]:
    """The 2.5th and the 97.5th percentile of every row, interpolated linearly between two replicates."""
    bounds = np.empty((2, len(values)))
    step = max(1, _BLOCK // values.shape[1])
    for begin in range(0, len(values), step):
        bounds[:, begin : begin + step] = percentiles(values[begin : begin + step].copy())
    return bounds[0], bounds[1]


def percentiles(values: Floats) -> tuple[Floats, Floats]:
    """The same where the order of `values` need not be kept."""
    replicates = values.shape[-1]
    position = TAIL * (replicates - 1)
    index = int(position)
    fraction, following = position - index, min(index + 1, replicates - 1)
    if replicates <= _SORTED_WHOLE:
        values.sort(axis=-1)
        low, after_low = values[..., index], values[..., following]
        high, before_high = values[..., replicates - 1 - index], values[..., replicates - 1 - following]
    else:
        values.partition(following, axis=-1)
        after_low, low = values[..., following], values[..., :following].max(axis=-1)
        upper = values[..., following + 1 :]
        upper.partition(upper.shape[-1] - 1 - following, axis=-1)
        before_high = upper[..., upper.shape[-1] - 1 - following]
        high = upper[..., upper.shape[-1] - following :].min(axis=-1)
    return low + fraction * (after_low - low), high + fraction * (before_high - high)
