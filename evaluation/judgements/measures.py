"""The metrics on every sentence of two outputs: which of the two each metric prefers.

Metrics are compared by their integer counts, so that a tie is exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..reading.fields import Ints, Mask
from ..reading.layout import UPOS
from ..reading.treebank import Labels, Treebank
from ..scoring.compare import Comparison
from ..scoring.counts import counts_by_unit

Signs = NDArray[np.int8]

CONTENT = ("ADJ", "NOUN", "PROPN", "VERB")
FUNCTION = ("ADP", "ADV", "AUX", "CCONJ", "CONJ", "DET", "PART", "PRON", "SCONJ")
# Sums of logarithms that differ by less are equal: the order of summation must not decide.
_EQUAL = 1e-9


@dataclass(frozen=True, kw_only=True)
class Measures:
    """Over all sentences of gold; −1 where a metric prefers the first system, 1 the second, 0 a tie."""

    signs: Mapping[str, Signs]
    lengths: Ints
    """Words per sentence."""
    depths: Ints
    """The depth of each gold tree; the word at the root has depth 1."""


def measure(
    first: Comparison,
    second: Comparison,
    *,
    content: Sequence[str] = CONTENT,
    function: Sequence[str] = FUNCTION,
) -> Measures:
    """Both comparisons are with the same gold file."""
    gold = first.gold
    signs = {**profile_signs(first, second), **_word_signs(first, second, content, function)}
    lengths = np.diff(gold.sentence_first_word)
    depths = np.zeros(gold.sentences, dtype=np.int64)
    np.maximum.at(depths, gold.sentence, word_depths(gold))
    return Measures(signs=signs, lengths=lengths, depths=depths)


def profile_signs(first: Comparison, second: Comparison) -> dict[str, Signs]:
    """F1 of every metric of the profile: correct / (gold + system), compared crosswise as integers."""
    counts = [counts_by_unit(comparison) for comparison in (first, second)]
    signs = {}
    for index, name in enumerate(counts[0].metrics):
        sums = [side.values[:, index].astype(np.int64) for side in counts]
        totals = [side[:, 0] + side[:, 1] for side in sums]
        signs[name] = np.sign(sums[1][:, 2] * totals[0] - sums[0][:, 2] * totals[1]).astype(np.int8)
    return signs


def _word_signs(
    first: Comparison, second: Comparison, content: Sequence[str], function: Sequence[str]
) -> dict[str, Signs]:
    """LAS over content words, over function words, and with words weighted by their depth."""
    gold = first.gold
    weights = np.log1p(word_depths(gold))
    # The words that count in attachment scores: all but punctuation.
    counted = first.counted_words("form").gold
    right = [_right_words(comparison) & counted for comparison in (first, second)]
    selections = {
        "LAS content": np.where(has_tag(gold, content), 1.0, 0.0),
        "LAS function": np.where(has_tag(gold, function), 1.0, 0.0),
        "LAS weighted": weights,
    }
    return {name: _compare_sums(gold, right, weight) for name, weight in selections.items()}


def _right_words(comparison: Comparison) -> Mask:
    """The gold words whose head and relation are right."""
    right = np.zeros(comparison.gold.words, dtype=bool)
    right[comparison.alignment.gold] = comparison.agrees("head") & comparison.agrees("relation")
    return right


def _compare_sums(gold: Treebank, right: Sequence[Mask], weight: NDArray[np.float64]) -> Signs:
    """Both systems are measured over the same gold words, so that sums can be compared directly."""
    sums = [np.bincount(gold.sentence, mask * weight, minlength=gold.sentences) for mask in right]
    difference = sums[1] - sums[0]
    return np.where(np.abs(difference) < _EQUAL, 0, np.sign(difference)).astype(np.int8)


def has_tag(treebank: Treebank, tags: Sequence[str]) -> Mask:
    labels = Labels.from_fields(treebank.column(UPOS))
    flags = np.array([name in tags for name in labels.names], dtype=bool)
    return flags[labels.codes]


def word_depths(treebank: Treebank) -> Ints:
    """The number of arcs from each word to the root of its tree: 1 for the word at the root.

    Pointers are doubled, so a tree of any depth takes a number of steps that grows with its logarithm.
    """
    # One more entry stands for the root, which is its own parent.
    root = treebank.words
    parent = np.append(np.where(treebank.parent < 0, root, treebank.parent), root)
    depth = np.ones(root + 1, dtype=np.int64)
    depth[root] = 0
    while (parent != root).any():
        depth += depth[parent]
        parent = parent[parent]
    return depth[:root]
