"""Dependency trees in plain text, for terminals: one line per word, arcs as bars on the left.

Every head has one bar that spans its dependents; the bars of the deepest heads are next to the words. Text to
the right of the bars may be in any script, because nothing has to be aligned after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..reading.fields import Mask
from ..reading.trees import ROOT
from .glyphs import display_text
from .words import Tree

# Outer bars beyond this number are omitted; the heads are still printed as numbers.
MAX_BARS = 28

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_LINES = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"
_ARROW, _ROOT, _CUT = "►", "●", "…"


@dataclass(frozen=True, slots=True)
class _Bar:
    column: int
    first: int
    last: int

    def at(self, row: int) -> int:
        """The directions in which the bar leaves a row."""
        return (_UP if row > self.first else 0) | (_DOWN if row < self.last else 0)


def sketch(tree: Tree) -> str:
    """One tree: bars, then number, tag, relation and form of each word."""
    lines = bars(tree, range(len(tree.words)), len(tree.words))
    return "\n".join(
        f"{line} {display_text(word.id):>3} {display_text(word.upos):<6} "
        f"{display_text(word.relation):<14} {display_text(word.form)}"
        for line, word in zip(lines, tree.words, strict=True)
    )


def bars(tree: Tree, rows: Sequence[int], height: int) -> list[str]:
    """The bars of a tree whose words are in the given rows of `height`: strings of equal length."""
    bar_of, columns = _place_bars(tree, rows, height)
    canvas = np.zeros((height, columns), dtype=np.int64)
    for bar in bar_of.values():
        canvas[bar.first : bar.last + 1, bar.column] = _UP | _DOWN
    ends = [" "] * height
    for place, word in enumerate(tree.words):
        row = rows[place]
        ends[row] = _ARROW if word.head >= 0 else _ROOT if word.head == ROOT else _CUT
        own, above = bar_of.get(place), bar_of.get(word.head) if word.head >= 0 else None
        joined = [bar for bar in (own, above) if bar is not None]
        if joined:
            outermost = max(bar.column for bar in joined)
            # The word's line is drawn over the bars of other heads, which seem to continue beneath it.
            canvas[row, : outermost + 1] = _LEFT | _RIGHT
            for bar in joined:
                left = _LEFT if bar.column < outermost else 0
                canvas[row, bar.column] = bar.at(row) | left | _RIGHT
    return [
        "".join(_LINES[cell] for cell in line[::-1]) + end for line, end in zip(canvas, ends, strict=True)
    ]


def _place_bars(tree: Tree, rows: Sequence[int], height: int) -> tuple[dict[int, _Bar], int]:
    """A bar for each head, in the free column nearest to the words, and how many columns there are.

    Bars deep in the tree are placed first, and none where the line of a word placed before would cross it: so
    in a projective tree no line meets the bar of another.
    """
    joined: dict[int, list[int]] = {}
    for place, word in enumerate(tree.words):
        if word.head >= 0:
            joined.setdefault(word.head, [rows[word.head]]).append(rows[place])
    # The outermost column that the line of each row has reached so far.
    outermost = np.full(height, -1, dtype=np.int64)
    taken: list[Mask] = []
    bar_of: dict[int, _Bar] = {}
    depths = _depths(tree)
    for head in sorted(joined, key=lambda head: (-depths[head], head)):
        own = joined[head]
        first, last = min(own), max(own)
        crossed = outermost[first : last + 1].copy()
        crossed[np.array(own) - first] = -1
        column = _free(taken, first, last, max(int(crossed.max()), 0))
        if column >= MAX_BARS:
            continue
        while column >= len(taken):
            taken.append(np.zeros(height, dtype=bool))
        taken[column][first : last + 1] = True
        outermost[own] = np.maximum(outermost[own], column)
        bar_of[head] = _Bar(column, first, last)
    return bar_of, len(taken)


def _depths(tree: Tree) -> list[int]:
    """How many steps each word is from the root."""
    depths = [-1] * len(tree.words)
    for place in range(len(tree.words)):
        path = []
        while place >= 0 and depths[place] < 0:
            path.append(place)
            place = tree.words[place].head
        depth = depths[place] + 1 if place >= 0 else 0
        for passed in reversed(path):
            depths[passed] = depth
            depth += 1
    return depths


def _free(taken: Sequence[Mask], first: int, last: int, least: int) -> int:
    for column in range(least, len(taken)):
        if not taken[column][first : last + 1].any():
            return column
    return max(len(taken), least)
