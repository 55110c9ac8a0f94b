"""Counting over replicates: in how many each system is above each other one, and its rank in each.

Comparisons give bytes of 0 or 1. Eight bytes are added at once, as one 64-bit number: a byte holds sums up to
255, which is more than the replicates of a batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..reading.fields import Ints, Mask

_LANES = 8
_MOST = 255


def count_above(values: NDArray[Any]) -> Ints:
    """Systems × systems: the replicates in which the first is above the second; values are by replicate.

    Only half of the pairs are compared, and the other direction of the rest follows where there are no ties.
    """
    systems, replicates = values.shape
    values = _padded(values)
    above = np.zeros((systems, systems), dtype=np.int64)
    has_ties = _has_ties(values[:, :replicates])
    for first in range(systems - 1):
        others = values[first + 1 :]
        over = _sums(values[first] > others)
        above[first, first + 1 :] = over
        above[first + 1 :, first] = _sums(values[first] < others) if has_ties else replicates - over
    return above


def count_above_next(values: NDArray[Any], following: Ints) -> Ints:
    """Systems × 2: the replicates in which each system is above, and below, the one that follows it."""
    next_values = values[following]
    return np.stack(
        [np.count_nonzero(values > next_values, axis=1), np.count_nonzero(values < next_values, axis=1)],
        axis=1,
    )


def ranks(values: NDArray[Any], numbered: Mask) -> Iterator[NDArray[np.unsignedinteger]]:
    """For each system its rank in every replicate, from 0: so many numbered ones are above it."""
    replicates = values.shape[1]
    values = _padded(values)
    rivals = values[numbered]
    parts = [rivals[begin : begin + _MOST] for begin in range(0, len(rivals), _MOST)]
    for own in values:
        rank = np.zeros(len(own), dtype=np.uint8 if len(rivals) <= _MOST else np.uint16)
        for part in parts:
            lanes = (part > own).view(np.uint64)
            rank += np.add.reduce(lanes, axis=0).view(np.uint8)
        yield rank[:replicates]


def _padded(values: NDArray[Any]) -> NDArray[Any]:
    """With zeros for all systems, which are neither above nor below each other, up to whole words."""
    systems, replicates = values.shape
    padded = np.zeros((systems, -(-replicates // _LANES) * _LANES), dtype=values.dtype)
    padded[:, :replicates] = values
    return padded


def _sums(flags: Mask) -> Ints:
    """The number of true values in each row; the length of a row is a multiple of eight."""
    lanes = np.add.reduce(flags.view(np.uint64), axis=1)
    return np.add.reduce(lanes.view(np.uint8).reshape(len(flags), _LANES), axis=1, dtype=np.int64)


def _has_ties(values: NDArray[Any]) -> bool:
    ordered = np.sort(values.T, axis=1)
    return bool((ordered[:, 1:] == ordered[:, :-1]).any())
