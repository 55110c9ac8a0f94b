"""Classes of dependencies: every gold word that is not punctuation belongs to one, by its gold columns.

Direction: `<` if the head is before the word, `>` if it is after it; roots count as `>`. Relations are
compared without subtypes. The depth of a root is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..reading.fields import Ints, Mask
from ..reading.layout import UPOS
from ..reading.treebank import Labels, Treebank
from ..reading.trees import ROOT

LENGTHS = ("1", "2", "3–6", "7+", "root")
DEPTHS = ("1", "2", "3", "4", "5", "6", "7+")
_LEAST = (1, 2, 3, 7)
_PUNCTUATION = "PUNCT"


@dataclass(frozen=True, slots=True)
class Classes:
    """The words that count, and for each of them the index of its class; only classes with words are named.

    `empty` are the names of a fixed list, such as the bins of length, that no word has.
    """

    names: tuple[str, ...]
    words: Ints
    codes: Ints
    empty: tuple[str, ...]


def classify(gold: Treebank, by: str) -> Classes:
    """The classes of a gold file by one of `CRITERIA`."""
    tags = Labels.from_fields(gold.column(UPOS))
    is_punctuation = np.array([name == _PUNCTUATION for name in tags.names], dtype=bool)
    counted: Mask = ~is_punctuation[tags.codes]
    labels = CRITERIA[by](gold, tags)
    words = counted.nonzero()[0]
    codes = labels.codes[words]
    used = np.bincount(codes, minlength=len(labels.names)) > 0
    fixed = _FIXED.get(by, ())
    # Bins keep their order, everything else is in the order of the alphabet.
    order = sorted(
        used.nonzero()[0].tolist(),
        key=lambda n: (fixed.index(labels.names[n]) if fixed else 0, labels.names[n]),
    )
    place = np.full(len(labels.names), -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    names = tuple(labels.names[n] for n in order)
    return Classes(names, words, place[codes], tuple(name for name in fixed if name not in names))


def _by_upos(gold: Treebank, tags: Labels) -> Labels:
    return tags


def _by_relation(gold: Treebank, tags: Labels) -> Labels:
    return gold.universal_relations


def _by_direction(gold: Treebank) -> Labels:
    is_before = (gold.parent != ROOT) & (gold.parent < np.arange(gold.words))
    return Labels(np.where(is_before, 0, 1), ("<", ">"))


def _by_upos_and_direction(gold: Treebank, tags: Labels) -> Labels:
    return _combine(tags, _by_direction(gold))


def _by_all_three(gold: Treebank, tags: Labels) -> Labels:
    return _combine(_by_upos_and_direction(gold, tags), gold.universal_relations)


def _by_length(gold: Treebank, tags: Labels) -> Labels:
    distance = np.abs(gold.parent - np.arange(gold.words))
    bins = np.searchsorted(_LEAST, distance, side="right") - 1
    return Labels(np.where(gold.parent == ROOT, LENGTHS.index("root"), bins), LENGTHS)


def _by_depth(gold: Treebank, tags: Labels) -> Labels:
    """As many steps towards the root as there are bins; deeper words share the last bin."""
    depth = np.zeros(gold.words, dtype=np.int64)
    ancestor = gold.parent
    for _ in DEPTHS[1:]:
        below = ancestor != ROOT
        depth += below
        ancestor = np.where(below, gold.parent[ancestor], ROOT)
    return Labels(depth, DEPTHS)


def _combine(first: Labels, second: Labels) -> Labels:
    """The pairs of values that occur."""
    pairs, codes = np.unique(first.codes * len(second.names) + second.codes, return_inverse=True)
    names = tuple(
        first.names[pair // len(second.names)] + second.names[pair % len(second.names)]
        for pair in pairs.tolist()
    )
    return Labels(codes, names)


DEFAULT = "upos-direction"
CRITERIA: Mapping[str, Callable[[Treebank, Labels], Labels]] = {
    DEFAULT: _by_upos_and_direction,
    "upos": _by_upos,
    "relation": _by_relation,
    "length": _by_length,
    "depth": _by_depth,
    "upos-direction-relation": _by_all_three,
}
_FIXED: Mapping[str, tuple[str, ...]] = {"length": LENGTHS, "depth": DEPTHS}
