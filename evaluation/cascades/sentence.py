"""One sentence under constraints: which arcs were given, repaired, left wrong, or newly wrong.

In: the sentence in gold, in the plain output and in that of a run, each as CoNLL-U. Out:
`ConstrainedSentence`, with the three trees in the manner of Figure 2 of Ng and Curran (2015).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..errors.classes import ErrorClasses
from ..errors.classify import classify
from ..reading.fields import Mask
from ..reading.read import read
from ..reading.treebank import Treebank
from ..reading.trees import ROOT
from ..showing.aligned_trees import AlignedTrees
from ..showing.draw import draw_aligned
from ..showing.words import Judgement, Tree, Word, tree_of
from .constraints import constrained_words

CONSTRAINED, REPAIRED, REMAINING, NEW = "constrained", "repaired", "remaining", "new"
EFFECTS: Mapping[str, str] = {
    CONSTRAINED: "given as constraints",
    REPAIRED: "repaired: wrong without constraints, right with them",
    REMAINING: "still wrong",
    NEW: "newly wrong: right without constraints, wrong with them",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstrainedWord:
    id: str
    form: str
    upos: str
    relation: str
    class_name: str
    gold_head: str
    plain_head: str
    head: str
    # A key of EFFECTS, or empty if the head is right in both runs.
    effect: str
    # Constrained, and the head was wrong in the plain run.
    is_effective: bool


@dataclass(frozen=True, slots=True)
class ConstrainedSentence:
    trees: AlignedTrees
    words: Sequence[ConstrainedWord]

    @property
    def is_right_to_left(self) -> bool:
        return self.trees.trees[0].is_right_to_left

    def count(self, effect: str) -> int:
        return sum(word.effect == effect for word in self.words)

    def svg(self, names: Sequence[str], *, title: str) -> str:
        return draw_aligned(self.trees, names, title=title)


def constrain_sentence(
    gold_source: bytes, plain_source: bytes, source: bytes, classes: ErrorClasses, run: str
) -> ConstrainedSentence:
    """The three sources have the same words, as `Experiment` has made sure of for the complete files."""
    gold, plain, output = read(gold_source), read(plain_source), read(source)
    constrained: Mask = constrained_words(gold, classes)[run]
    class_of = classify(gold, classes).tolist()
    plain_right = (gold.parent == plain.parent).tolist()
    right = (gold.parent == output.parent).tolist()
    effects = [_effect(*facts) for facts in zip(constrained.tolist(), plain_right, right, strict=True)]
    trees = tuple(tree_of(treebank, 0) for treebank in (gold, plain, output))
    words = [
        ConstrainedWord(
            id=word.id,
            form=word.form,
            upos=word.upos,
            relation=word.relation,
            class_name=classes.names[class_of[place]],
            gold_head=_head(trees[0], place),
            plain_head=_head(trees[1], place),
            head=_head(trees[2], place),
            effect=effects[place],
            is_effective=effects[place] == CONSTRAINED and not plain_right[place],
        )
        for place, word in enumerate(trees[0].words)
    ]
    drawn = (trees[0], _with_errors(trees[1], plain_right), _with_effects(trees[2], effects))
    rows = tuple((place, place, place) for place in range(len(words)))
    return ConstrainedSentence(AlignedTrees(drawn, rows), words)


def sentence_of(treebank: Treebank, number: int) -> bytes:
    return treebank.sentence_source(number).rstrip("\n").encode() + b"\n\n"


def _effect(is_constrained: bool, was_right: bool, is_right: bool) -> str:
    if is_constrained:
        return CONSTRAINED if is_right else REMAINING
    if was_right:
        return "" if is_right else NEW
    return REPAIRED if is_right else REMAINING


def _head(tree: Tree, place: int) -> str:
    word = tree.words[place]
    return "root" if word.head == ROOT else f"{word.head_id} {tree.words[word.head].form}"


def _with_errors(tree: Tree, right: Sequence[bool]) -> Tree:
    wrong = Judgement(wrong=frozenset({"head"}))
    return _judged(tree, [Judgement() if is_right else wrong for is_right in right])


def _with_effects(tree: Tree, effects: Sequence[str]) -> Tree:
    return _judged(tree, [Judgement(effect=effect) for effect in effects])


def _judged(tree: Tree, judgements: Sequence[Judgement]) -> Tree:
    words: list[Word] = [
        replace(word, judgement=judgement) for word, judgement in zip(tree.words, judgements, strict=True)
    ]
    return replace(tree, words=tuple(words))
