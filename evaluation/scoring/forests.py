"""Operations on whole files of trees: removing words, and sums over subtrees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..reading.fields import Ints, Mask
from ..reading.trees import ROOT


def prune(parent: Ints, remaining: Mask) -> Ints:
    """The parents after removing words: the nearest remaining ancestor of each word, or ROOT.

    Doubling the steps makes this fast for deep trees.

    >>> prune(np.array([-1, 0, 1, 2]), np.array([True, False, False, True])).tolist()
    [-1, 0, 0, 0]
    """
    # One more entry, which ROOT refers to.
    target = np.append(np.where(remaining, np.arange(len(parent)), parent), ROOT)
    while True:
        further = target[target]
        if np.array_equal(further, target):
            return np.where(parent == ROOT, ROOT, target[parent])
        target = further


def depths(parent: Ints) -> Ints:
    """The depth of each word: 1 for a root word."""
    depth = np.append(np.ones(len(parent), dtype=np.int64), 0)
    ancestor = np.append(parent, ROOT)
    while (ancestor != ROOT).any():
        depth += np.where(ancestor == ROOT, 0, depth[ancestor])
        ancestor = ancestor[ancestor]
    return depth[:-1]


def subtree_sums(parent: Ints, values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The sum of the values of each word's descendants and its own, modulo 2^64."""
    sums = values.copy()
    depth = depths(parent)
    order = np.argsort(-depth, kind="stable")
    order = order[depth[order] > 1]
    for level in np.split(order, np.flatnonzero(np.diff(depth[order])) + 1) if len(order) else []:
        np.add.at(sums, parent[level], sums[level])
    return sums
