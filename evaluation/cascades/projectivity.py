"""Whether a projective tree with one root can keep constraints.

Only sentences in which a system did not keep them are asked about, and gold itself answers where it is
projective; so this need not be fast.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..reading.fields import Mask

FREE = -1
"""In a list of heads: a word that is not constrained."""


def is_projective(heads: Sequence[int]) -> bool:
    """Whether no arcs of a tree cross; heads count from 1, and 0 is the root, to the left of all words.

    >>> is_projective([2, 0, 2]), is_projective([3, 0, 2])
    (True, False)
    """
    ends = np.array([(min(word, head), max(word, head)) for word, head in enumerate(heads, 1)])
    low, high = ends[:, 0], ends[:, 1]
    crosses = (low[:, None] < low) & (low < high[:, None]) & (high[:, None] < high)
    return not crosses.any()


def can_be_projective(heads: Sequence[int]) -> bool:
    """Whether some projective tree has these heads, with FREE for words that may have any.

    >>> can_be_projective([FREE, 0, FREE]), can_be_projective([3, 0, FREE])
    (True, False)
    """
    return _Chart(heads).has_tree()


class _Chart:
    """Eisner's algorithm with truth values. `right[i, j]`: word i can govern all words up to j, and so on."""

    def __init__(self, heads: Sequence[int]) -> None:
        self._heads = heads
        size = len(heads)
        self._right, self._left = np.eye(size, dtype=bool), np.eye(size, dtype=bool)
        # Spans whose two ends are joined by an arc to the right, or to the left.
        self._to_right, self._to_left = np.zeros((2, size, size), dtype=bool)
        for width in range(1, size):
            for begin in range(size - width):
                self._fill(begin, begin + width)

    def has_tree(self) -> bool:
        size = len(self._heads)
        return any(
            self._allows(word, 0) and self._left[0, word] and self._right[word, size - 1]
            for word in range(size)
        )

    def _allows(self, word: int, head: int) -> bool:
        return self._heads[word] in (FREE, head)

    def _fill(self, begin: int, end: int) -> None:
        inner: Mask = self._right[begin, begin:end] & self._left[begin + 1 : end + 1, end]
        joins = bool(inner.any())
        self._to_right[begin, end] = joins and self._allows(end, begin + 1)
        self._to_left[begin, end] = joins and self._allows(begin, end + 1)
        beyond = self._to_right[begin, begin + 1 : end + 1] & self._right[begin + 1 : end + 1, end]
        self._right[begin, end] = beyond.any()
        beyond = self._left[begin, begin:end] & self._to_left[begin:end, end]
        self._left[begin, end] = beyond.any()
