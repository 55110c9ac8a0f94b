"""Gold and several systems on one sentence: their trees, and the rows in which their words stand together.

In: one `Passage` for each system, all of the same gold sentence; or gold alone. Out: `Together`, whose first
tree is gold's. A long sentence is shown piece by piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from .passage import SHOWN_KEYS, Passage
from .words import OUTSIDE, Judgement, Range, Tree, Word

# For each tree the place of its word, or None.
Places = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Together:
    trees: tuple[Tree, ...]
    rows: tuple[Places, ...]

    def piece(self, begin: int, end: int) -> Together:
        """Some of the rows. The head of a word may then be one that is not shown."""
        rows = self.rows[begin:end]
        trees, shifts = [], []
        for n, tree in enumerate(self.trees):
            places = [row[n] for row in rows if row[n] is not None]
            first, behind = (places[0] or 0, (places[-1] or 0) + 1) if places else (0, 0)
            trees.append(part_of(tree, first, behind))
            shifts.append(first)
        moved = tuple(
            tuple(None if place is None else place - shift for place, shift in zip(row, shifts, strict=True))
            for row in rows
        )
        return Together(tuple(trees), moved)


def alone(tree: Tree) -> Together:
    return Together((tree,), tuple((place,) for place in range(len(tree.words))))


def together(passages: Sequence[Passage]) -> Together:
    """What only systems have stands before the next gold word, that of different systems side by side."""
    words = tuple(
        replace(word, judgement=_by_all([passage.gold.words[place].judgement for passage in passages]))
        for place, word in enumerate(passages[0].gold.words)
    )
    gold = Tree(words, passages[0].gold.ranges)
    rows: list[Places] = []
    parted = [_by_gold_word(passage) for passage in passages]
    for place in range(len(words) + 1):
        before = zip_longest(*(extras[place] for extras, _ in parted))
        rows.extend((None, *extra) for extra in before)
        if place < len(words):
            rows.append((place, *(partner.get(place) for _, partner in parted)))
    return Together((gold, *(passage.system for passage in passages)), tuple(rows))


def _by_gold_word(passage: Passage) -> tuple[list[list[int]], dict[int, int]]:
    """The system words before each gold word and behind the last, and the partner of each gold word."""
    extras: list[list[int]] = [[]]
    partner: dict[int, int] = {}
    for gold, system in passage.rows:
        if gold is None:
            extras[-1].append(system or 0)
            continue
        extras.append([])
        if system is not None:
            partner[gold] = system
    return extras, partner


def _by_all(judgements: Sequence[Judgement]) -> Judgement:
    """A gold word is marked only with what every system got wrong."""
    if not any(judgement.is_aligned for judgement in judgements):
        return judgements[0]
    wrong = [judgement.wrong if judgement.is_aligned else frozenset(SHOWN_KEYS) for judgement in judgements]
    return Judgement(wrong=frozenset.intersection(*wrong))


def part_of(tree: Tree, first: int, behind: int) -> Tree:
    """Some words of a tree; the head of a word may then be one that is not shown."""
    ranges = [
        Range(max(held.first, first) - first, min(held.last, behind - 1) - first, held.form)
        for held in tree.ranges
        if held.first < behind and held.last >= first
    ]
    return Tree(tuple(_moved(word, first, behind) for word in tree.words[first:behind]), tuple(ranges))


def _moved(word: Word, first: int, behind: int) -> Word:
    if word.head < 0:
        return word
    return replace(word, head=word.head - first if first <= word.head < behind else OUTSIDE)
