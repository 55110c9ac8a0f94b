"""Eisner's algorithm: the best projective tree with one root, for given scores of arcs.

A span of words is *complete* if its head needs no more words inside it, and *open* while an arc connects its
two ends. Spans of one width are computed together, for all positions and all splits at once. Arrays are
indexed by one end of the span and by its width: the left end where their name ends in `_from`, the right end
where it ends in `_to`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.int64]
FORBIDDEN = -(1 << 58)
"""The score of an arc that must not be used. Sums of a few of them do not overflow."""
_IMPOSSIBLE = FORBIDDEN // 2


def best_tree(scores: Scores) -> list[int] | None:
    """The heads of the words 1 … n, given `scores[head, child]` with head 0 as root.

    None if every tree needs a forbidden arc.
    """
    size = len(scores) - 1
    chart = _Chart(np.maximum(scores[1:, 1:], FORBIDDEN), size)
    total = np.maximum(scores[0, 1:], FORBIDDEN)
    total = np.maximum(total + chart.whole_left(), FORBIDDEN)
    total = np.maximum(total + chart.whole_right(), FORBIDDEN)
    root = int(np.argmax(total))
    if total[root] < _IMPOSSIBLE:
        return None
    return chart.heads(root)


class _Chart:
    def __init__(self, scores: Scores, size: int) -> None:
        self._size = size
        shape = (size, size)
        # Complete spans whose head is the left end (right-branching), and the right end.
        self._right_from, self._right_to, self._left_from, self._left_to = (
            np.zeros(shape, dtype=np.int64) for _ in range(4)
        )
        # Open spans whose arc goes to the right, by their left end, and to the left, by their right end.
        self._open_right, self._open_left = (np.zeros(shape, dtype=np.int64) for _ in range(2))
        self._split_open, self._split_right, self._split_left = (
            np.zeros(shape, dtype=np.int64) for _ in range(3)
        )
        for width in range(1, size):
            self._fill(scores, width)

    def _fill(self, scores: Scores, width: int) -> None:
        begin, end = slice(0, self._size - width), slice(width, self._size)
        places = np.arange(self._size - width)

        # A complete span from the left meets a complete span from the right, and an arc joins their heads.
        inner = self._right_from[begin, :width] + self._left_to[end, width - 1 :: -1]
        split = np.argmax(inner, axis=1)
        best = inner[places, split]
        self._split_open[begin, width] = split
        to_right = np.maximum(best + scores[places, places + width], FORBIDDEN)
        to_left = np.maximum(best + scores[places + width, places], FORBIDDEN)
        self._open_right[begin, width] = to_right
        self._open_left[end, width] = to_left

        # An open span is followed by what its inner end still governs on the far side.
        inner = self._open_right[begin, 1 : width + 1] + self._right_to[end, width - 1 :: -1]
        split = np.argmax(inner, axis=1)
        self._split_right[begin, width] = split + 1
        complete = np.maximum(inner[places, split], FORBIDDEN)
        self._right_from[begin, width] = self._right_to[end, width] = complete

        inner = self._open_left[end, 1 : width + 1] + self._left_from[begin, width - 1 :: -1]
        split = np.argmax(inner, axis=1)
        self._split_left[begin, width] = split + 1
        complete = np.maximum(inner[places, split], FORBIDDEN)
        self._left_from[begin, width] = self._left_to[end, width] = complete

    def whole_left(self) -> Scores:
        """For each word, the best complete span from the first word to it."""
        places = np.arange(self._size)
        best: Scores = self._left_to[places, places]
        return best

    def whole_right(self) -> Scores:
        """For each word, the best complete span from it to the last word."""
        places = np.arange(self._size)
        best: Scores = self._right_from[places, self._size - 1 - places]
        return best

    def heads(self, root: int) -> list[int]:
        """Follow the splits from the root; words count from 1 in the result."""
        heads = [0] * self._size
        # Spans that are still to be taken apart: kind, left end, right end.
        spans = [("left", 0, root), ("right", root, self._size - 1)]
        while spans:
            kind, begin, end = spans.pop()
            width = end - begin
            if not width:
                continue
            if kind == "right":
                middle = begin + int(self._split_right[begin, width])
                heads[middle] = begin + 1
                spans += [("open", begin, middle), ("right", middle, end)]
            elif kind == "left":
                middle = end - int(self._split_left[begin, width])
                heads[middle] = end + 1
                spans += [("left", begin, middle), ("open", middle, end)]
            else:
                middle = begin + int(self._split_open[begin, width])
                spans += [("right", begin, middle), ("left", middle + 1, end)]
        return heads
