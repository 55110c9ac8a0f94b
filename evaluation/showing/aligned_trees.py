"""The trees of gold and several systems for one sentence, with corresponding words in the same row.

In: one `Passage` per system, all of the same gold sentence; or gold alone. Out: `AlignedTrees`, whose first
tree is gold's. A long sentence is displayed piece by piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from .passage import Passage
from .words import OUTSIDE, Judgement, Range, Tree, Word

# One entry per tree: the position of its word, or None.
AlignedPlaces = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class AlignedTrees:
    """`rows` lists all words in order; each row has at most one word of each tree."""

    trees: tuple[Tree, ...]
    rows: tuple[AlignedPlaces, ...]

    def piece(self, begin: int, end: int) -> AlignedTrees:
        """Only these rows. The head of a word may be outside them."""
        rows = self.rows[begin:end]
        trees, shifts = [], []
        for n, tree in enumerate(self.trees):
            places = [row[n] for row in rows if row[n] is not None]
            first, past = (places[0] or 0, (places[-1] or 0) + 1) if places else (0, 0)
            trees.append(part_of(tree, first, past))
            shifts.append(first)
        shifted = tuple(
            tuple(None if place is None else place - shift for place, shift in zip(row, shifts, strict=True))
            for row in rows
        )
        return AlignedTrees(tuple(trees), shifted)


def single_tree(tree: Tree) -> AlignedTrees:
    return AlignedTrees((tree,), tuple((place,) for place in range(len(tree.words))))


def align_trees(passages: Sequence[Passage]) -> AlignedTrees:
    """System words without a partner come before the next gold word; those of several systems share rows."""
    words = tuple(
        replace(
            word, judgement=_common_judgement([passage.gold.words[place].judgement for passage in passages])
        )
        for place, word in enumerate(passages[0].gold.words)
    )
    gold = Tree(words, passages[0].gold.ranges)
    rows: list[AlignedPlaces] = []
    by_passage = [_by_gold_word(passage) for passage in passages]
    for place in range(len(words) + 1):
        before = zip_longest(*(extras[place] for extras, _ in by_passage))
        rows.extend((None, *extra) for extra in before)
        if place < len(words):
            rows.append((place, *(partner.get(place) for _, partner in by_passage)))
    return AlignedTrees((gold, *(passage.system for passage in passages)), tuple(rows))


def _by_gold_word(passage: Passage) -> tuple[list[list[int]], dict[int, int]]:
    """The system words before each gold word and after the last one, and the partner of each gold word."""
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


def _common_judgement(judgements: Sequence[Judgement]) -> Judgement:
    """A gold word is marked only with the errors that all systems share."""
    aligned = [judgement.wrong for judgement in judgements if judgement.is_aligned]
    if not aligned:
        return judgements[0]
    # A system that does not have the word has it wrong in every respect.
    return Judgement(wrong=frozenset.intersection(*aligned))


def part_of(tree: Tree, first: int, end: int) -> Tree:
    """The words `first` to `end` (exclusive) of a tree; the head of a word may be outside them."""
    ranges = [
        Range(max(held.first, first) - first, min(held.last, end - 1) - first, held.form)
        for held in tree.ranges
        if held.first < end and held.last >= first
    ]
    return Tree(tuple(_shift(word, first, end) for word in tree.words[first:end]), tuple(ranges))


def _shift(word: Word, first: int, end: int) -> Word:
    if word.head < 0:
        return word
    return replace(word, head=word.head - first if first <= word.head < end else OUTSIDE)
