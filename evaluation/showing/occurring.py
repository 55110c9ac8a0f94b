"""Which relations occur in which sentences: pairs of numbers, for filters.

In: one file or two. Out: names of relations with their subtypes cut, the place of each word's among them, and
pairs of a sentence and a relation, each once.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..reading.fields import Ints
from ..reading.treebank import Treebank

# A file may invent a relation for every word; of more than these the rarest cannot be searched for.
_MOST = 200


def relations_of(treebank: Treebank) -> tuple[list[str], Ints]:
    """The relations with their subtypes cut, the most frequent first, and the place of each word's."""
    names, codes, _ = shared_relations(treebank, treebank)
    return names, codes


def shared_relations(gold: Treebank, system: Treebank) -> tuple[list[str], Ints, Ints]:
    known: dict[str, int] = {}
    codes = []
    for side in (gold, system):
        relations = side.universal_relations
        of_value = [known.setdefault(name, len(known)) for name in relations.names]
        codes.append(np.array(of_value, dtype=np.int64)[relations.codes])
    frequency = np.bincount(np.concatenate(codes), minlength=len(known))
    order = np.argsort(-frequency, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    names = list(known)
    return [names[n] for n in order[:_MOST].tolist()], place[codes[0]], place[codes[1]]


def pairs_of(found: Iterable[tuple[Ints, Ints]], relations: int) -> tuple[Ints, Ints]:
    """Each pair of a sentence and a relation once."""
    codes = [
        sentence[kept] * relations + code[kept] for sentence, code in found for kept in [code < relations]
    ]
    unique = np.unique(np.concatenate(codes))
    return unique // relations, unique % relations
