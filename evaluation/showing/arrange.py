"""Where the words and arcs of drawn trees go: columns for partners, levels for arcs, room for every label.

In: one tree or two with the rows that bind their words together, and the widths of what is written. Out: an x
for each word and a level for each arc. All is in logical order; right-to-left drawings are mirrored later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .words import Tree


@dataclass(frozen=True, slots=True)
class Room:
    """How far apart the centres of two words of one tree must be."""

    left: int
    right: int
    width: float


@dataclass(frozen=True, slots=True)
class Side:
    """One tree as the arrangement sees it: the width of each word, and the room its labels need."""

    widths: Sequence[float]
    rooms: Sequence[Room]


def levels(tree: Tree) -> list[int]:
    """The level of each word's incoming arc, from 1; 0 where it has none. Long arcs pass above short ones."""
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
    """The centre of each word of each side, and the width of the whole.

    Rows are taken in order; a word stands as near as its neighbour and the labels that end above it allow,
    and partners stand where both find room.
    """
    placed: list[list[float]] = [[0.0] * len(side.widths) for side in sides]
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
                x = max(x, placed[n][place - 1] + (widths[place - 1] + widths[place]) / 2 + gap)
            for room in ending[n].get(place, ()):
                x = max(x, placed[n][room.left] + room.width)
        for n, place in members:
            placed[n][place] = x
            end = max(end, x + sides[n].widths[place] / 2)
    return placed, end
