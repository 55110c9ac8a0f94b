"""Which relations occur in which sentences, for filters.

In: one or two files. Out: the names of relations without subtypes, the index of each word's relation among
them, and the distinct pairs of sentence and relation.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..reading.fields import Ints
from ..reading.treebank import Treebank

# A file may use a new relation for every word; the rarest beyond this number cannot be searched for.
_MAX_RELATIONS = 200


def relation_codes(treebank: Treebank) -> tuple[list[str], Ints]:
    """The relations without subtypes, most frequent first, and the index of each word's relation."""
    names, codes, _ = shared_relation_codes(treebank, treebank)
    return names, codes


def shared_relation_codes(gold: Treebank, system: Treebank) -> tuple[list[str], Ints, Ints]:
    """The same for two files, with one list of relations."""
    known: dict[str, int] = {}
    codes = []
    for side in (gold, system):
        relations = side.universal_relations
        of_value = [known.setdefault(name, len(known)) for name in relations.names]
        codes.append(np.array(of_value, dtype=np.int64)[relations.codes])
    frequency = np.bincount(np.concatenate(codes), minlength=len(known))
    order = np.argsort(-frequency, kind="stable")
    index = np.empty_like(order)
    index[order] = np.arange(len(order))
    names = list(known)
    return [names[n] for n in order[:_MAX_RELATIONS].tolist()], index[codes[0]], index[codes[1]]


def unique_pairs(parts: Iterable[tuple[Ints, Ints]], relations: int) -> tuple[Ints, Ints]:
    """The distinct pairs of sentence and relation; rare relations are left out."""
    codes = [
        sentence[known] * relations + code[known] for sentence, code in parts for known in [code < relations]
    ]
    unique = np.unique(np.concatenate(codes))
    return unique // relations, unique % relations
