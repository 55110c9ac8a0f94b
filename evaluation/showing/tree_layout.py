"""The layout of drawn trees: columns for aligned words, levels for arcs, space for every label.

In: one or more trees with the rows that align their words, and the widths of the texts. Out: an x coordinate
for each word and a level for each arc. All is in logical order; right-to-left drawings are mirrored later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .words import Tree


@dataclass(frozen=True, slots=True)
class Room:
    """The minimal distance between the centres of two words of one tree."""

    left: int
    right: int
    width: float


@dataclass(frozen=True, slots=True)
class Side:
    """The sizes of one tree: the width of each word, and the space that its labels need."""

    widths: Sequence[float]
    rooms: Sequence[Room]


def levels(tree: Tree) -> list[int]:
    """The level of each word's incoming arc, from 1; 0 if it has none. Long arcs are above short ones."""
    result = [0] * len(tree.words)
    arcs = [(abs(word.head - place), place) for place, word in enumerate(tree.words) if word.head >= 0]
    above = np.zeros(max(len(tree.words) - 1, 0), dtype=np.int64)
    for _, place in sorted(arcs):
        left, right = sorted((place, tree.words[place].head))
        level = int(above[left:right].max()) + 1
        above[left:right] = level
        result[place] = level
    return result


def positions(
    rows: Sequence[Sequence[int | None]], sides: Sequence[Side], gap: float
) -> tuple[list[list[float]], float]:
    """The centre of each word of each side, and the total width.

    Rows are centres in order; a word is as close as its neighbour and the labels that end above it allow, and
    aligned words are centres where there is space for all of them.
    """
    centres: list[list[float]] = [[0.0] * len(side.widths) for side in sides]
    ending: list[dict[int, list[Room]]] = [{} for _ in sides]
    for waiting, side in zip(ending, sides, strict=True):
        for room in side.rooms:
            waiting.setdefault(room.right, []).append(room)
    end = 0.0
    for row in rows:
        members = [(n, place) for n, place in enumerate(row) if place is not None]
        x = 0.0
        for n, place in members:
            widths = sides[n].widths
            x = max(x, widths[place] / 2)
            if place:
                x = max(x, centres[n][place - 1] + (widths[place - 1] + widths[place]) / 2 + gap)
            for room in ending[n].get(place, ()):
                x = max(x, centres[n][room.left] + room.width)
        for n, place in members:
            centres[n][place] = x
            end = max(end, x + sides[n].widths[place] / 2)
    return centres, end
