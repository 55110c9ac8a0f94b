"""Metrics of whole trees after Plank et al. (2015): UND, NED, complete predicates, correct sentences, TED.

All of them compare heads that the alignment carries over to gold words.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..reading.fields import Ints, Mask
from ..reading.intern import intern
from ..reading.layout import FORM, UPOS
from ..reading.treebank import Treebank
from ..reading.trees import ROOT
from .compare import Comparison
from .metric import Units

_NO_WORD = ROOT - 1


def head_partners(comparison: Comparison, gold_parent: Ints, system_parent: Ints) -> tuple[Ints, Ints]:
    """For each aligned pair the gold head, and the gold word that the system head aligns to."""
    pairs = comparison.alignment
    heads = system_parent[pairs.system]
    return gold_parent[pairs.gold], np.where(heads == ROOT, ROOT, comparison.gold_of[heads])


def is_undirected(comparison: Comparison, gold_parent: Ints, system_parent: Ints) -> Mask:
    """The same arc in either direction; the root equals only the root."""
    gold, system = head_partners(comparison, gold_parent, system_parent)
    turned = (system >= 0) & (gold_parent[system] == comparison.alignment.gold)
    agrees: Mask = (gold == system) | turned
    return agrees


def is_neutral(comparison: Comparison, gold_parent: Ints, system_parent: Ints) -> Mask:
    """The same arc in either direction, or an arc to the gold head of the gold head."""
    gold, system = head_partners(comparison, gold_parent, system_parent)
    grandparent = np.where(gold == ROOT, _NO_WORD - 1, gold_parent[gold])
    agrees: Mask = is_undirected(comparison, gold_parent, system_parent) | (system == grandparent)
    return agrees


def undirected(comparison: Comparison) -> Mask:
    """UND."""
    return is_undirected(comparison, comparison.gold.parent, comparison.system.parent)


def neutral_edge_direction(comparison: Comparison) -> Mask:
    """NED."""
    return is_neutral(comparison, comparison.gold.parent, comparison.system.parent)


def scored_words(comparison: Comparison) -> tuple[Mask, Mask]:
    """The gold words that count, and the system words: gold decides about a word that is aligned."""
    counted = comparison.counted_words(comparison.options.punctuation)
    return counted.gold, _carried_over(comparison, counted.gold, counted.system)


def words_of_predicates(comparison: Comparison) -> tuple[Mask, Mask]:
    """The same for complete predicates: a form with a round bracket is no punctuation there."""
    gold, system = scored_words(comparison)
    if comparison.options.punctuation != "form":
        return gold, system
    gold = gold | _has_bracket(comparison.gold)
    return gold, _carried_over(comparison, gold, system | _has_bracket(comparison.system))


def predicates(comparison: Comparison) -> tuple[Mask, Mask]:
    """Gold verbs with a child that counts. Of the system none count: these metrics are accuracies."""
    gold = comparison.gold
    scored = comparison.compute(words_of_predicates)[0]
    tags = intern(gold.column(UPOS))
    verbs = np.array([value.decode() in comparison.options.verbs for value in tags.values()], dtype=bool)
    has_child = np.zeros(gold.words + 1, dtype=bool)
    has_child[gold.parent[scored]] = True
    return verbs[tags.codes] & has_child[:-1] & scored, np.zeros(comparison.system.words, dtype=bool)


def complete_predicate(comparison: Comparison) -> Mask:
    """UCP: both words have the same children that count."""
    return _same_children(comparison, comparison.head)


def labelled_complete_predicate(comparison: Comparison) -> Mask:
    """LCP: and each of these children has the same relation."""
    return _same_children(comparison, comparison.head & comparison.relation)


def _same_children(comparison: Comparison, correct: Mask) -> Mask:
    """Every child that counts on either side is one of a correct pair."""
    scored = comparison.compute(words_of_predicates)
    pairs = comparison.alignment
    same = np.ones(len(correct), dtype=bool)
    sides = (comparison.gold, pairs.gold), (comparison.system, pairs.system)
    for (side, words), counts in zip(sides, scored, strict=True):
        wrong = counts.copy()
        wrong[words[correct]] = False
        has_wrong_child = np.zeros(side.words + 1, dtype=bool)
        has_wrong_child[side.parent[wrong]] = True
        same &= ~has_wrong_child[words]
    return same


def correct_sentences(comparison: Comparison, units: Units) -> Ints:
    """USent: gold sentences in which every word that counts has the right head."""
    return _sentences(comparison, units, comparison.head)


def labelled_correct_sentences(comparison: Comparison, units: Units) -> Ints:
    """LSent: the right head and relation."""
    return _sentences(comparison, units, comparison.head & comparison.relation)


def _sentences(comparison: Comparison, units: Units, correct: Mask) -> Ints:
    wrong = scored_words(comparison)[0].copy()
    wrong[comparison.alignment.gold[correct]] = False
    is_correct = np.ones(comparison.gold.sentences, dtype=bool)
    is_correct[comparison.gold.sentence[wrong]] = False
    of_sentence = units.gold["sentences"]
    every = units.add_up(of_sentence)
    return np.stack([every, every, units.add_up(of_sentence[is_correct])], axis=1)


def _carried_over(comparison: Comparison, gold: Mask, system: Mask) -> Mask:
    """A mask of gold words, carried over to the aligned system words; the others keep their own."""
    carried = system.copy()
    carried[comparison.alignment.system] = gold[comparison.alignment.gold]
    return carried


def _has_bracket(treebank: Treebank) -> Mask:
    forms = intern(treebank.column(FORM))
    flags = [b"(" in value or b")" in value for value in forms.values()]
    has: NDArray[np.bool_] = np.array(flags, dtype=bool)[forms.codes]
    return has
