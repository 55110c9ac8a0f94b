"""The metrics on every sentence of two outputs: which of the two each metric prefers.

Metrics are compared by their integer counts, so that a tie is exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
OVER_CONTENT_WORDS, OVER_FUNCTION_WORDS = "LAS content", "LAS function"
"""Names of metrics."""
# Sums of logarithms that differ by less are equal: the order of summation must not decide.
_EQUAL = 1e-9


@dataclass(frozen=True, kw_only=True)
class Measures:
    """What is known about sentences, such as all those of a gold file or those of the judged items."""

    lengths: Ints
    """Words per sentence."""
    signs: Mapping[str, Signs] = field(default_factory=dict)
    """−1 where a metric prefers the first system, 1 the second, 0 a tie. Empty without gold."""
    counts_something: Mapping[str, Mask] = field(default_factory=dict)
    """Whether a metric has anything to count in a sentence, such as a verb."""
    tallies: Mapping[str, Ints] = field(default_factory=dict)
    """By metric of the profile: systems × sentences × (gold, system, correct)."""
    depths: Ints | None = None
    """The depth of each gold tree; the word at the root has depth 1."""

    def select(self, rows: Ints | Mask) -> Measures:
        """Of some of the sentences, in this order."""
        return Measures(
            lengths=self.lengths[rows],
            signs={name: signs[rows] for name, signs in self.signs.items()},
            counts_something={name: flags[rows] for name, flags in self.counts_something.items()},
            tallies={name: tallies[:, rows] for name, tallies in self.tallies.items()},
            depths=None if self.depths is None else self.depths[rows],
        )


def join_measures(parts: Sequence[Measures]) -> Measures:
    """One after the other. All of them have the same metrics."""
    depths = [part.depths for part in parts if part.depths is not None]
    return Measures(
        lengths=np.concatenate([part.lengths for part in parts]),
        signs={name: np.concatenate([part.signs[name] for part in parts]) for name in parts[0].signs},
        counts_something={
            name: np.concatenate([part.counts_something[name] for part in parts])
            for name in parts[0].counts_something
        },
        tallies={
            name: np.concatenate([part.tallies[name] for part in parts], axis=1) for name in parts[0].tallies
        },
        depths=np.concatenate(depths) if len(depths) == len(parts) else None,
    )


def measure(
    first: Comparison,
    second: Comparison,
    *,
    content: Sequence[str] = CONTENT,
    function: Sequence[str] = FUNCTION,
) -> Measures:
    """Both comparisons are with the same gold file."""
    gold = first.gold
    tallies = profile_tallies(first, second)
    selections = _selections(gold, content, function)
    depths = np.zeros(gold.sentences, dtype=np.int64)
    np.maximum.at(depths, gold.sentence, word_depths(gold))
    return Measures(
        lengths=np.diff(gold.sentence_first_word),
        signs=tally_signs(tallies) | _word_signs(first, second, selections),
        counts_something=tallies_count(tallies) | _words_count(first, selections),
        tallies=tallies,
        depths=depths,
    )


def profile_tallies(first: Comparison, second: Comparison) -> dict[str, Ints]:
    """By metric of the profile: systems × sentences × (gold, system, correct)."""
    counts = [counts_by_unit(comparison) for comparison in (first, second)]
    return {
        name: np.stack([side.values[:, index, :3].astype(np.int64) for side in counts])
        for index, name in enumerate(counts[0].metrics)
    }


def tally_signs(tallies: Mapping[str, Ints]) -> dict[str, Signs]:
    """F1 of every metric: correct / (gold + system), compared crosswise as integers."""
    signs = {}
    for name, (first, second) in tallies.items():
        totals = [side[:, 0] + side[:, 1] for side in (first, second)]
        signs[name] = np.sign(second[:, 2] * totals[0] - first[:, 2] * totals[1]).astype(np.int8)
    return signs


def tallies_count(tallies: Mapping[str, Ints]) -> dict[str, Mask]:
    """Whether gold or either system has a unit of each metric in each sentence."""
    return {name: np.greater(sides[:, :, :2].sum(axis=(0, 2)), 0) for name, sides in tallies.items()}


def _selections(
    gold: Treebank, content: Sequence[str], function: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """Weights of words: of content words, of function words, and of all words by their depth."""
    return {
        OVER_CONTENT_WORDS: np.where(has_tag(gold, content), 1.0, 0.0),
        OVER_FUNCTION_WORDS: np.where(has_tag(gold, function), 1.0, 0.0),
        "LAS weighted": np.log1p(word_depths(gold)),
    }


def _words_count(comparison: Comparison, selections: Mapping[str, NDArray[np.float64]]) -> dict[str, Mask]:
    gold, counted = comparison.gold, _counted(comparison)
    return {
        name: np.bincount(gold.sentence, counted * weight, minlength=gold.sentences) > 0
        for name, weight in selections.items()
    }


def _word_signs(
    first: Comparison, second: Comparison, selections: Mapping[str, NDArray[np.float64]]
) -> dict[str, Signs]:
    """LAS over the selected words."""
    right = [_right_words(comparison) & _counted(first) for comparison in (first, second)]
    return {name: _compare_sums(first.gold, right, weight) for name, weight in selections.items()}


def _counted(comparison: Comparison) -> Mask:
    """The gold words that count in attachment scores: all but punctuation."""
    return comparison.counted_words("form").gold


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
