"""TED: the similarity of two trees whose nodes are spans of words.

Punctuation is removed. Every remaining word gives a node: its relation and the set of words in its subtree;
every word with a child gives a further node, `hd` and the word itself. TED = 2 · common nodes / all nodes.
A set of words is represented by the sum of pseudo-random numbers of its members, so that equal sets have
equal sums; different ones differ, but for one chance in 2^64.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..reading.fields import Ints, Mask
from ..reading.treebank import Surface, Treebank
from ..reading.trees import ROOT
from .compare import Comparison
from .forests import prune, subtree_sums
from .metric import Units
from .whole_trees import scored_words

Hashes = NDArray[np.uint64]
_HEAD = "hd"


@dataclass(frozen=True, slots=True)
class _Nodes:
    """The nodes of one side, in order, and the word that each belongs to."""

    key: Hashes
    word: Ints


def count_nodes(comparison: Comparison, units: Units) -> Ints:
    """Nodes of gold, nodes of the system, and common ones, by unit."""
    scored = scored_words(comparison)
    gold_values, system_values = _word_values(comparison)
    names: dict[str, int] = {_HEAD: 0}
    gold = _nodes(comparison, comparison.gold, scored[0], gold_values, names)
    system = _nodes(comparison, comparison.system, scored[1], system_values, names)
    common = gold.word[_common(gold.key, system.key)]
    sides = (units.gold["words"][gold.word], units.system["words"][system.word], units.gold["words"][common])
    return np.stack([units.add_up(unit) for unit in sides], axis=1)


def _nodes(
    comparison: Comparison, side: Treebank, scored: Mask, values: Hashes, names: dict[str, int]
) -> _Nodes:
    parent = np.where(scored, prune(side.parent, scored), ROOT)
    sums = subtree_sums(parent, np.where(scored, values, np.uint64(0)))
    labels = side.relations if comparison.options.subtypes else side.universal_relations
    codes = _codes(labels.names, names)[labels.codes]
    words = np.flatnonzero(scored)
    heads = np.unique(parent[words])
    heads = heads[heads != ROOT]
    of_words = _mix(sums[words] + codes[words])
    of_heads = _mix(values[heads] + _codes([_HEAD], names))
    return _Nodes(np.concatenate([of_words, of_heads]), np.concatenate([words, heads]))


def _codes(labels: Sequence[str], known: dict[str, int]) -> Hashes:
    """Pseudo-random codes that are equal for equal labels of both sides.

    They are mixed twice: mixed once, they would be the numbers of the first characters of the file, and a
    character with a relation the same as another character with another relation.
    """
    return _mix(_mix(np.array([known.setdefault(label, len(known)) for label in labels], dtype=np.uint64)))


def _word_values(comparison: Comparison) -> tuple[Hashes, Hashes]:
    """A number for each word, so that the numbers of the words of a span add up to that of its characters.

    Aligned words have the same number. Words inside ranges have no characters of their own.
    """
    gold, system, pairs = comparison.gold, comparison.system, comparison.alignment
    size = np.uint64(pairs.gold_surface.size)
    gold_values = _span_values(gold, pairs.gold_surface)
    inside = np.flatnonzero(gold.in_range)
    gold_values[inside] = _mix(size + inside.astype(np.uint64))
    system_values = _span_values(system, pairs.system_surface)
    inside = np.flatnonzero(system.in_range)
    system_values[inside] = _mix(size + np.uint64(gold.words) + inside.astype(np.uint64))
    system_values[pairs.system] = gold_values[pairs.gold]
    return gold_values, system_values


def _span_values(treebank: Treebank, surface: Surface) -> Hashes:
    before = np.zeros(surface.size + 1, dtype=np.uint64)
    np.cumsum(_mix(np.arange(surface.size, dtype=np.uint64)), out=before[1:])
    of_token: Hashes = before[surface.start[1:]] - before[surface.start[:-1]]
    return of_token[treebank.token]


def _common(gold: Hashes, system: Hashes) -> Ints:
    """The gold nodes that the system has as well; of equal ones as many as it has."""
    order = np.argsort(gold, kind="stable")
    ordered, available = gold[order], np.sort(system)
    # How many equal nodes come before each one.
    before = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    matching = np.searchsorted(available, ordered, side="right") - np.searchsorted(available, ordered)
    common: Ints = order[before < matching]
    return common


def _mix(values: Hashes) -> Hashes:
    """Pseudo-random numbers, the same on every machine (the finaliser of SplitMix64)."""
    mixed: Hashes = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
