"""Counting over replicates: in how many each system is above each other one, and in how many it has a rank.

Comparisons give bytes of 0 or 1. Eight bytes are added at once, as one 64-bit number: a byte holds sums up to
255, which is more than the replicates of a batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..reading.fields import Ints, Mask

_LANES = 8
# Comparisons that are made at once: few enough for the processor's cache.
_BLOCK = 1 << 19


def count_above(values: NDArray[Any]) -> Ints:
    """Systems × systems: the replicates in which the first is above the second; values are by replicate.

    Only half of the pairs are compared, and the other direction of the rest follows where there are no ties.
    """
    systems, replicates = values.shape
    values = _padded(values)
    above = np.zeros((systems, systems), dtype=np.int64)
    has_ties = _has_ties(values[:, :replicates])
    step = max(1, _BLOCK // values.size)
    for begin in range(0, systems, step):
        rows, others = values[begin : begin + step, None], values[None, begin:]
        over = _sums(rows > others)
        above[begin : begin + step, begin:] = over
        above[begin:, begin : begin + step] = (_sums(rows < others) if has_ties else replicates - over).T
    np.fill_diagonal(above, 0)
    return above


def count_above_next(values: NDArray[Any], following: Ints) -> Ints:
    """Systems × 2: the replicates in which each system is above, and below, the one that follows it."""
    next_values = values[following]
    return np.stack(
        [np.count_nonzero(values > next_values, axis=1), np.count_nonzero(values < next_values, axis=1)],
        axis=1,
    )


def count_ranks(values: NDArray[np.signedinteger], numbered: Mask) -> Ints:
    """Systems × ranks from 0: the replicates in which so many numbered systems are above it.

    Every replicate is sorted once, with the number of the system in the last digits of what is sorted.
    """
    systems = len(values)
    keys = np.ascontiguousarray(-values.T.astype(np.int64))
    keys *= systems
    keys += np.arange(systems)
    keys.sort(axis=1)
    value, system = np.divmod(keys, systems)
    # A system has the rank of the first one with the same value.
    first = np.zeros(value.shape, dtype=np.int64)
    np.multiply(value[:, 1:] != value[:, :-1], np.arange(1, systems), out=first[:, 1:])
    np.maximum.accumulate(first, axis=1, out=first)
    if not numbered.all():
        before: Ints = np.cumsum(numbered[system], axis=1) - numbered[system]
        first = np.take_along_axis(before, first, axis=1)
    width = int(numbered.sum()) + 1
    system *= width
    system += first
    return np.bincount(system.ravel(), minlength=systems * width).reshape(systems, width)


def _padded(values: NDArray[Any]) -> NDArray[Any]:
    """With zeros for all systems, which are neither above nor below each other, up to whole words."""
    systems, replicates = values.shape
    padded = np.zeros((systems, -(-replicates // _LANES) * _LANES), dtype=values.dtype)
    padded[:, :replicates] = values
    return padded


def _sums(flags: Mask) -> Ints:
    """The number of true values along the last axis, whose length is a multiple of eight."""
    lanes = np.add.reduce(flags.view(np.uint64), axis=-1)
    lanes = lanes.view(np.uint8).reshape(*flags.shape[:-1], _LANES)
    sums: Ints = np.add.reduce(lanes, axis=-1, dtype=np.int64)
    return sums


def _has_ties(values: NDArray[Any]) -> bool:
    ordered = np.sort(values.T, axis=1)
    return bool((ordered[:, 1:] == ordered[:, :-1]).any())
