"""An item as annotators see it: the sentence, two trees in the order of the assignment, and what differs.

In: an item and whether its trees are swapped. Out: `TreeComparison`. Nothing in it says which system a tree
comes from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from django.utils.safestring import SafeString, mark_safe

import evaluation
from evaluation.reading.trees import ROOT
from evaluation.showing.aligned_trees import AlignedTrees
from evaluation.showing.draw import draw_pair
from evaluation.showing.passage import Passage, Passages
from evaluation.showing.words import Tree, Word
from sharedtask.judgements.models import Item

NAMES = ("Tree 1", "Tree 2")
COMPARED = ("head", "relation", "upos")


@dataclass(frozen=True, kw_only=True)
class ArcDifference:
    """A word that the two trees treat differently, in words for screen readers."""

    form: str
    left: str
    right: str


@dataclass(frozen=True)
class TreeComparison:
    item: Item
    swapped: bool
    profile: str

    @cached_property
    def passage(self) -> Passage:
        trees = [self.item.first_tree.encode(), self.item.second_tree.encode()]
        if self.swapped:
            trees.reverse()
        return Passages(evaluation.compare(trees[0], trees[1], self.profile), COMPARED).passage_of(0)

    @property
    def is_right_to_left(self) -> bool:
        return self.passage.gold.is_right_to_left

    @property
    def svg(self) -> SafeString:
        trees = AlignedTrees((self.passage.gold, self.passage.system), self.passage.rows)
        # All text of files in it is escaped.
        return mark_safe(draw_pair(trees, NAMES, title="Two trees of the sentence", identifier="trees"))

    @property
    def differences(self) -> list[ArcDifference]:
        return list(self._differences())

    def _differences(self) -> Iterator[ArcDifference]:
        left_tree, right_tree = self.passage.gold, self.passage.system
        for left_place, right_place in self.passage.rows:
            left = left_tree.words[left_place] if left_place is not None else None
            right = right_tree.words[right_place] if right_place is not None else None
            word = left or right
            if word is None or (left and right and not left.judgement.wrong & {"head", "relation"}):
                continue
            yield ArcDifference(
                form=word.form, left=attachment(left_tree, left), right=attachment(right_tree, right)
            )


def attachment(tree: Tree, word: Word | None) -> str:
    if word is None:
        return "no such word"
    if word.head == ROOT:
        return "the root"
    head = tree.words[word.head].form if word.head >= 0 else "another word"
    return f"{word.relation} of “{head}”"
