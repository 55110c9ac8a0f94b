"""Statistics of a treebank: sizes, lengths, tags, relations, and nonprojective sentences.

In: a `Treebank`. Out: `Statistics`, integers and counts by label. As secret as the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..reading.fields import Ints, Mask
from ..reading.layout import UPOS
from ..reading.treebank import Labels, Treebank
from ..reading.trees import ROOT


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    sentences: int
    tokens: int
    words: int
    multi_word_tokens: int
    # Words inside multi-word tokens.
    words_in_ranges: int
    longest_sentence: int
    # Sentences with at least one word whose descendants are not contiguous.
    nonprojective_sentences: int
    # Most frequent first; relations without subtypes.
    relations: Mapping[str, int]
    upos: Mapping[str, int]

    @property
    def mean_length(self) -> float:
        """Words per sentence."""
        return self.words / self.sentences if self.sentences else 0.0

    @property
    def nonprojective_share(self) -> float:
        return self.nonprojective_sentences / self.sentences if self.sentences else 0.0

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Statistics:
        return cls(**document)


def statistics(treebank: Treebank) -> Statistics:
    return Statistics(
        sentences=treebank.sentences,
        tokens=treebank.tokens,
        words=treebank.words,
        multi_word_tokens=int(np.count_nonzero(treebank.is_multiword)),
        words_in_ranges=int(np.count_nonzero(treebank.in_range)),
        longest_sentence=int(np.diff(treebank.sentence_first_word).max()),
        nonprojective_sentences=int(np.count_nonzero(nonprojective(treebank))),
        relations=_by_frequency(treebank.universal_relations),
        upos=_by_frequency(Labels.from_fields(treebank.column(UPOS))),
    )


def nonprojective(treebank: Treebank) -> Mask:
    """For each sentence, whether the descendants of some word are not contiguous.

    >>> from ..reading.read import read
    >>> line = "{}\\t{}\\t_\\t_\\t_\\t_\\t{}\\tdep\\t_\\t_\\n"
    >>> crossed = "".join(line.format(n, "a", head) for n, head in ((1, 3), (2, 4), (3, 0), (4, 3))) + "\\n"
    >>> nonprojective(read(crossed.encode())).tolist()
    [True]
    """
    parent = treebank.parent
    first = np.arange(treebank.words)
    last, size = first.copy(), np.ones(treebank.words, dtype=np.int64)
    # From the deepest words up: the span of each word extends that of its head.
    for level in _levels(parent):
        heads = parent[level]
        np.minimum.at(first, heads, first[level])
        np.maximum.at(last, heads, last[level])
        np.add.at(size, heads, size[level])
    result = np.zeros(treebank.sentences, dtype=bool)
    result[treebank.sentence[last - first + 1 != size]] = True
    return result


def _levels(parent: Ints) -> list[Ints]:
    """The words that have a head, grouped by depth, deepest first."""
    depth = np.zeros(len(parent), dtype=np.int64)
    above = parent.copy()
    climbing = np.flatnonzero(above != ROOT)
    while len(climbing):
        depth[climbing] += 1
        above[climbing] = parent[above[climbing]]
        climbing = climbing[above[climbing] != ROOT]
    order = np.argsort(-depth, kind="stable")
    order = order[depth[order] > 0]
    return np.split(order, np.flatnonzero(np.diff(depth[order])) + 1) if len(order) else []


def _by_frequency(labels: Labels) -> dict[str, int]:
    counts = zip(labels.names, np.bincount(labels.codes).tolist(), strict=True)
    return dict(sorted(counts, key=lambda entry: (-entry[1], entry[0])))
