"""Trees of grammar induction: accuracies after punctuation has been removed from both trees.

Punctuation is what has the gold tag `PUNCT` or `.`; its children are attached to the nearest ancestor that is
no punctuation.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..reading.fields import Ints, Mask
from ..reading.intern import intern
from ..reading.layout import UPOS
from ..reading.treebank import Treebank
from ..reading.trees import ROOT
from .compare import Comparison
from .forests import prune
from .tally import Tally
from .whole_trees import head_partners, is_neutral, is_undirected

PUNCTUATION = (b"PUNCT", b".")
SHORT = 10
LONGEST_ARC = 9


def is_punctuation(treebank: Treebank) -> Mask:
    """By the universal tag."""
    tags = intern(treebank.column(UPOS))
    return np.array([value in PUNCTUATION for value in tags.values()], dtype=bool)[tags.codes]


def pruned_parents(comparison: Comparison) -> tuple[Ints, Ints]:
    """The parents of gold and system words without punctuation; gold's tags decide for both."""
    gold_remaining, system_remaining = remaining_words(comparison)
    return prune(comparison.gold.parent, gold_remaining), prune(comparison.system.parent, system_remaining)


def remaining_words(comparison: Comparison) -> tuple[Mask, Mask]:
    """Those that are no punctuation."""
    gold = ~is_punctuation(comparison.gold)
    system = np.ones(comparison.system.words, dtype=bool)
    system[comparison.alignment.system] = gold[comparison.alignment.gold]
    return gold, system


def short_sentences(comparison: Comparison) -> tuple[Mask, Mask]:
    """Those in sentences of at most ten words, counted with punctuation."""
    gold, system = remaining_words(comparison)
    is_short = np.diff(comparison.gold.sentence_first_word) <= SHORT
    return gold & is_short[comparison.gold.sentence], system


def directed(comparison: Comparison) -> Mask:
    """The right head."""
    gold, system = head_partners(comparison, *comparison.compute(pruned_parents))
    agrees: Mask = gold == system
    return agrees


def undirected(comparison: Comparison) -> Mask:
    """The right arc in either direction."""
    return is_undirected(comparison, *comparison.compute(pruned_parents))


def neutral_edge_direction(comparison: Comparison) -> Mask:
    """Or an arc to the head of the head."""
    return is_neutral(comparison, *comparison.compute(pruned_parents))


def arc_distances(comparison: Comparison) -> tuple[Ints, Ints]:
    """From each word to its head, in words that remain; negative if the head is before it, 0 for roots."""
    parents, remaining = comparison.compute(pruned_parents), remaining_words(comparison)
    gold, system = (_distance(*side) for side in zip(parents, remaining, strict=True))
    return gold, system


def _distance(parent: Ints, remaining: Mask) -> Ints:
    place = np.cumsum(remaining)
    distance: Ints = np.where(remaining & (parent != ROOT), place[parent] - place, 0)
    return distance


def by_arc_length(comparison: Comparison) -> Mapping[int, Tally]:
    """Directed accuracy by the length of the gold arc, from 1 to 9, in words that remain."""
    remaining = remaining_words(comparison)[0]
    parent = comparison.compute(pruned_parents)[0]
    place = np.cumsum(remaining)
    words = np.flatnonzero(remaining & (parent != ROOT))
    length = np.abs(place[words] - place[parent[words]])
    correct = np.zeros(comparison.gold.words, dtype=bool)
    correct[comparison.alignment.gold[directed(comparison)]] = True
    counts = np.bincount(length, minlength=LONGEST_ARC + 1)
    right = np.bincount(length[correct[words]], minlength=LONGEST_ARC + 1)
    return {n: Tally(int(counts[n]), int(counts[n]), int(right[n])) for n in range(1, LONGEST_ARC + 1)}
