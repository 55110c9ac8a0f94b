"""Percentile intervals of many figures at once; the last axis of every array is the replicates.

A percentile lies between two neighbours in the order of the replicates. To find them, only replicates beyond
a bound are put in order, which a sample suggests. A bound that misleads costs time, but changes no bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..reading.fields import Mask

Floats = NDArray[np.float64]
Intervals = tuple[Floats, Floats]
"""Lower and upper bounds."""

TAIL = 0.025
# Replicates that are in memory at once: few enough for the processor's cache.
_BLOCK = 1 << 15
# The first replicates are the sample. Up to so many, all are put in order.
_SAMPLE = 256
# The bound is this replicate of the ordered sample: more than twice as many lie beyond it as are needed.
_BOUND = 16


def intervals(values: Floats) -> Intervals:
    """The 2.5th and the 97.5th percentile of every row, interpolated linearly between two replicates."""
    bounds = np.empty((2, len(values)))
    step = max(1, _BLOCK // values.shape[1])
    for begin in range(0, len(values), step):
        bounds[:, begin : begin + step] = percentiles(values[begin : begin + step])
    return bounds[0], bounds[1]


def percentiles(values: Floats) -> Intervals:
    """The same of a few rows."""
    replicates = values.shape[1]
    position = TAIL * (replicates - 1)
    index = int(position)
    fraction, following = position - index, min(index + 1, replicates - 1)
    sample = np.sort(values[:, :_SAMPLE], axis=1)
    if replicates <= _SAMPLE:
        low, high = sample[:, [index, following]], sample[:, [-1 - index, -1 - following]]
    else:
        least, greatest = sample[:, [_BOUND]], sample[:, [-1 - _BOUND]]
        low = _beyond(values, values < least, least, (index, following))
        high = _beyond(values, values > greatest, greatest, (-1 - index, -1 - following))
    interpolated = [part[:, 0] + fraction * (part[:, 1] - part[:, 0]) for part in (low, high)]
    return interpolated[0], interpolated[1]


def _beyond(values: Floats, beyond: Mask, bound: Floats, places: tuple[int, int]) -> Floats:
    """The replicates at two places in the order of each row; places from the upper end are negative."""
    rows, replicates = values.shape
    needed = max(places[1] + 1, -places[1])
    found = np.flatnonzero(beyond)
    only = values.take(found)
    if rows == 1 and len(only) >= needed:
        only.partition(places)
        return only[None, places]
    begins = np.searchsorted(found, np.arange(rows + 1) * replicates)
    sizes = np.diff(begins)
    row = np.repeat(np.arange(rows), sizes)
    # Where fewer are beyond the bound, those that are equal to it follow.
    tails = np.repeat(bound, max(needed, int(sizes.max())), axis=1)
    tails[row, np.arange(len(found)) - begins[row]] = only
    tails.partition(places, axis=1)
    ordered: Floats = tails[:, places]
    for few in np.flatnonzero(sizes < needed):
        if sizes[few] + np.count_nonzero(values[few] == bound[few]) < needed:
            ordered[few] = np.sort(values[few])[list(places)]
    return ordered
