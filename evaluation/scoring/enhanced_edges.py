"""ELAS and EULAS: edges of the enhanced graphs that gold and system have in common."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..reading.enhanced import Edge
from ..reading.fields import Ints
from ..reading.treebank import Treebank
from ..reading.trees import ROOT
from .compare import Comparison
from .metric import Units


def labelled_edges(comparison: Comparison, units: Units) -> Ints:
    """ELAS: full labels."""
    return _count(comparison, units, lambda label: label)


def universal_edges(comparison: Comparison, units: Units) -> Ints:
    """EULAS: every step of a label without its subtype."""
    return _count(comparison, units, _without_subtypes)


def _without_subtypes(label: str) -> str:
    return ">".join(step.split(":", 1)[0] for step in label.split(">"))


def _count(comparison: Comparison, units: Units, shorten: Callable[[str], str]) -> Ints:
    gold, system = (_edges(side, shorten) for side in (comparison.gold, comparison.system))
    gold_of = comparison.gold_of.tolist()
    common = np.zeros(comparison.gold.words, dtype=np.int64)
    pairs = comparison.alignment
    for g, s in zip(pairs.gold.tolist(), pairs.system.tolist(), strict=True):
        carried = {(ROOT if head == ROOT else gold_of[head], label) for head, label in system[s]}
        common[g] = len(carried & gold[g])
    sizes = [np.array([len(edges) for edges in side], dtype=np.int64) for side in (gold, system)]
    return np.stack(
        [
            units.add_up(units.gold["words"], sizes[0]),
            units.add_up(units.system["words"], sizes[1]),
            units.add_up(units.gold["words"], common),
        ],
        axis=1,
    )


def _edges(treebank: Treebank, shorten: Callable[[str], str]) -> list[set[Edge]]:
    """The different edges of each word."""
    return [{(head, shorten(label)) for head, label in edges} for edges in treebank.enhanced.edges]
