"""Where a system segments a sentence into other words than gold does.

In: a `Passage`. Out: `SegmentationDifference`s, each a sequence of words on one side and the words of the
other side in the same place.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from evaluation.showing.glyphs import display_text
from evaluation.showing.passage import PairedPlaces, Passage
from evaluation.showing.words import Tree


@dataclass(frozen=True, kw_only=True)
class SegmentationDifference:
    gold: tuple[str, ...]
    system: tuple[str, ...]
    """The forms of the words; either side may be empty."""


def segmentation_differences(passage: Passage) -> list[SegmentationDifference]:
    """Successive rows in which a word of either side has no partner."""

    def is_unpaired(row: PairedPlaces) -> bool:
        gold, system = row
        if gold is None:
            return system is not None and passage.system.words[system].judgement.is_inside
        return system is None

    groups = [list(rows) for unpaired, rows in groupby(passage.rows, key=is_unpaired) if unpaired]
    return [
        SegmentationDifference(
            gold=forms(passage.gold, [gold for gold, _ in rows]),
            system=forms(passage.system, [system for _, system in rows]),
        )
        for rows in groups
    ]


def forms(tree: Tree, places: list[int | None]) -> tuple[str, ...]:
    return tuple(display_text(tree.words[place].form) for place in places if place is not None)
