"""Where a system cuts a sentence into other words than gold does.

In: a `Passage`. Out: `Cut`s, each a stretch of words on one side and what stands for it on the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from evaluation.showing.glyphs import display_text
from evaluation.showing.passage import Passage, Row
from evaluation.showing.words import Tree


@dataclass(frozen=True, kw_only=True)
class Cut:
    gold: tuple[str, ...]
    system: tuple[str, ...]
    """The forms of the words; either side may be empty."""


def cuts_of(passage: Passage) -> list[Cut]:
    """Runs of rows in which a word of either side has no partner."""

    def is_cut(row: Row) -> bool:
        gold, system = row
        if gold is None:
            return system is not None and passage.system.words[system].judgement.is_inside
        return system is None

    runs = [list(rows) for cut, rows in groupby(passage.rows, key=is_cut) if cut]
    return [
        Cut(
            gold=forms(passage.gold, [gold for gold, _ in rows]),
            system=forms(passage.system, [system for _, system in rows]),
        )
        for rows in runs
    ]


def forms(tree: Tree, places: list[int | None]) -> tuple[str, ...]:
    return tuple(display_text(tree.words[place].form) for place in places if place is not None)
