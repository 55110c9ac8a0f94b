"""Percentile intervals of many figures at once; the last axis of every array is the replicates.

A percentile lies between two neighbours in the order of the replicates. To find them, only replicates beyond
a bound are put in order, which a sample suggests. A bound that misleads costs time, but changes no bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..reading.fields import Ints

Floats = NDArray[np.float64]
Intervals = tuple[Floats, Floats]
"""Lower and upper bounds."""

TAIL = 0.025
# Replicates that are in memory at once: few enough for the processor's cache.
_BLOCK = 1 << 15
# The first replicates are the sample. Up to so many, all are put in order.
_SAMPLE = 256
# The bound is this replicate of the ordered sample: almost three times as many lie beyond it as are needed.
# Both tails together are more than a tenth, from which on numpy finds their places without guessing branches.
_BOUND = 18


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
    places = [index, following, -1 - index, -1 - following]
    ordered = _from_tails(values, places) if replicates > _SAMPLE else np.sort(values, axis=1)[:, places]
    low, low_next, high, high_next = ordered.T
    return low + fraction * (low_next - low), high + fraction * (high_next - high)


def _from_tails(values: Floats, places: list[int]) -> Floats:
    """The replicates at some places in the order of each row, all of them within the tails."""
    sample = np.sort(values[:, :_SAMPLE], axis=1)
    least, greatest = sample[:, [_BOUND]], sample[:, [-1 - _BOUND]]
    found = np.flatnonzero((values <= least) | (values >= greatest))
    needed = 2 * (places[1] + 1)
    if len(values) == 1 and len(found) >= needed:
        tails = values.take(found)[None]
    else:
        tails = _by_row(values, found, needed, np.nextafter(least, greatest))
    tails.sort(axis=1)
    ordered: Floats = tails[:, places]
    # Too few lie beyond a bound that misleads.
    misled = (ordered[:, 1] > least[:, 0]) | (ordered[:, 3] < greatest[:, 0])
    for few in np.flatnonzero(misled):
        ordered[few] = np.sort(values[few])[places]
    return ordered


def _by_row(values: Floats, found: Ints, least_width: int, between: Floats) -> Floats:
    """A row for each row of values; what is left of it is filled with what lies `between` the tails."""
    rows, replicates = values.shape
    ends = np.searchsorted(found, np.arange(1, rows + 1) * replicates)
    sizes = np.diff(ends, prepend=0)
    width = max(int(sizes.max()), least_width)
    tails: Floats = np.repeat(between, width, axis=1)
    at = np.arange(len(found)) + np.repeat(np.arange(rows) * width - (ends - sizes), sizes)
    tails.reshape(-1)[at] = values.take(found)
    return tails
