"""Feature templates: which attributes of which words form a feature, and its place in the weights.

A template is a text such as "head.upos child.lemma distance". The value of a feature is a sum of its parts,
each multiplied by a large number of its own, modulo 2⁶⁴; its highest bits are its place in the table of
weights. So all features of all arcs of a sentence come out of one product of matrices.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .attributes import Values

Places = NDArray[np.int64]


def _multiplier(*parts: object) -> int:
    digest = hashlib.blake2b(" ".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") | 1


class Templates:
    """`terms` are the parts that occur in the templates, each once: a slot and an attribute, or a name."""

    def __init__(self, templates: Sequence[str], bits: int) -> None:
        self.terms = tuple(dict.fromkeys(term for template in templates for term in template.split()))
        self.size = len(templates)
        self._shift = np.uint64(64 - bits)
        self._matrix = np.zeros((len(templates), len(self.terms)), dtype=np.uint64)
        self._offset = np.array([_multiplier(template) for template in templates], dtype=np.uint64)
        for row, template in enumerate(templates):
            for term in template.split():
                self._matrix[row, self.terms.index(term)] = _multiplier(template, term)

    def columns(self, terms: Sequence[str]) -> Values:
        """The multipliers of some terms: `columns[template, term]`."""
        return np.ascontiguousarray(self._matrix[:, [self.terms.index(term) for term in terms]])

    def places(self, sums: Values) -> Places:
        """The places of features whose terms have been added up; the first axis is the template."""
        offset = self._offset.reshape(-1, *[1] * (sums.ndim - 1))
        return ((sums + offset) >> self._shift).astype(np.int64)
