"""Words, errors and displacement by error class.

In: a `Comparison` and error classes. Out: `WordErrors`, one entry per gold word, and integer counts of them
for the file or for each gold sentence.

An error is a wrong head. Its displacement is the distance in gold words between the gold head and the word
that the system's head aligns to. If either head is the root, it is the distance between the root word of the
gold sentence and that of the system sentence. Without an alignment there is no displacement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..packing import Buffer, narrow, pack, unpack
from ..reading.fields import Ints, Mask, indices
from ..reading.treebank import Treebank
from ..reading.trees import ROOT
from ..scoring.compare import Comparison
from .classes import ErrorClasses
from .classify import classify

_FORMAT = "error counts 1"
_UNALIGNED = -1


@dataclass(frozen=True, slots=True)
class ErrorTally:
    """The counts of one class. `distance` is the sum over the errors that have a displacement."""

    words: int = 0
    errors: int = 0
    las_errors: int = 0
    unaligned: int = 0
    distance: int = 0

    @property
    def rate(self) -> float:
        return self.errors / self.words if self.words else 0.0

    @property
    def displacement(self) -> float | None:
        """The mean distance; None if no error has one."""
        displaced = self.errors - self.unaligned
        return self.distance / displaced if displaced else None

    def __add__(self, other: ErrorTally) -> ErrorTally:
        return ErrorTally(
            self.words + other.words,
            self.errors + other.errors,
            self.las_errors + other.las_errors,
            self.unaligned + other.unaligned,
            self.distance + other.distance,
        )

    def as_dict(self) -> dict[str, int | float | None]:
        return {
            "words": self.words,
            "errors": self.errors,
            "rate": self.rate,
            "displacement": self.displacement,
            "unaligned": self.unaligned,
            "las_errors": self.las_errors,
        }


COUNTS = 5
"""How many counts a class has."""


@dataclass(frozen=True, slots=True)
class ErrorCounts:
    """Counts of one output by gold sentence: `values[sentence, class]` has the counts of an `ErrorTally`.

    They are as secret as the gold file.
    """

    names: tuple[str, ...]
    values: Ints

    def total(self) -> dict[str, ErrorTally]:
        """The counts of the file by class."""
        return _tallies(self.names, self.values.sum(axis=0))

    def errors_in(self, name: str) -> Ints:
        """The number of wrong heads of one class, by sentence."""
        errors: Ints = self.values[:, self.names.index(name), 1]
        return errors

    def to_bytes(self) -> bytes:
        return pack(_FORMAT, {"values": narrow(self.values)}, {"names": self.names})

    @classmethod
    def from_bytes(cls, stored: Buffer) -> ErrorCounts:
        """What `to_bytes` wrote; ValueError where it is anything else."""
        arrays, strings = unpack(_FORMAT, stored)
        try:
            names = tuple(strings["names"])
            return cls(names, arrays["values"].astype(np.int64).reshape(-1, len(names), COUNTS))
        except (KeyError, ValueError) as error:
            raise ValueError(f"damaged {_FORMAT}: {error}") from error


@dataclass(frozen=True, slots=True)
class WordErrors:
    """For each gold word its class, and what the system got wrong."""

    names: tuple[str, ...]
    class_of: Ints
    wrong_head: Mask
    wrong_head_or_relation: Mask
    # -1 for correct heads and for errors without a displacement.
    distance: Ints
    sentence: Ints

    def total(self) -> dict[str, ErrorTally]:
        """The counts of the file by class."""
        return _tallies(self.names, self._count(self.class_of, len(self.names)))

    def by_sentence(self) -> ErrorCounts:
        """The counts of each gold sentence by class."""
        sentences, size = int(self.sentence[-1]) + 1, len(self.names)
        counts = self._count(self.sentence * size + self.class_of, sentences * size)
        return ErrorCounts(self.names, counts.reshape(sentences, size, COUNTS))

    def _count(self, group: Ints, groups: int) -> Ints:
        displaced = indices(self.distance >= 0)
        unaligned = self.wrong_head & (self.distance < 0)
        counts = np.empty((groups, COUNTS), dtype=np.int64)
        counts[:, 0] = np.bincount(group, minlength=groups)
        for n, mask in enumerate((self.wrong_head, self.wrong_head_or_relation, unaligned), 1):
            counts[:, n] = np.bincount(group[mask], minlength=groups)
        # Weights are floating-point numbers; sums of distances below 2⁵³ are exact.
        counts[:, 4] = np.bincount(group[displaced], self.distance[displaced], groups)
        return counts


def find_errors(comparison: Comparison, classes: ErrorClasses) -> WordErrors:
    """Classify every gold word and compare its head and relation with the system's."""
    gold, pairs = comparison.gold, comparison.alignment
    wrong_head, wrong_relation = (np.ones(gold.words, dtype=bool) for _ in range(2))
    wrong_head[pairs.gold] = ~comparison.head
    wrong_relation[pairs.gold] = ~comparison.relation
    return WordErrors(
        classes.names,
        classify(gold, classes),
        wrong_head,
        wrong_head | wrong_relation,
        _distances(comparison),
        gold.sentence,
    )


def count_errors(comparison: Comparison, classes: ErrorClasses) -> Mapping[str, ErrorTally]:
    """The counts of the file by class, in the order of the classes."""
    return find_errors(comparison, classes).total()


def _tallies(names: tuple[str, ...], counts: Ints) -> dict[str, ErrorTally]:
    return {name: ErrorTally(*row) for name, row in zip(names, counts.tolist(), strict=True)}


def _distances(comparison: Comparison) -> Ints:
    """For each gold word with a wrong head the displacement, where there is one."""
    gold, system, pairs = comparison.gold, comparison.system, comparison.alignment
    wrong = indices(~comparison.head)
    word, system_word = pairs.gold[wrong], pairs.system[wrong]
    gold_of = np.full(system.words, _UNALIGNED, dtype=np.int64)
    gold_of[pairs.system] = pairs.gold
    gold_head, system_head = gold.parent[word], system.parent[system_word]
    involves_root = (gold_head == ROOT) | (system_head == ROOT)
    expected = np.where(involves_root, _roots(gold)[gold.sentence[word]], gold_head)
    predicted = np.where(involves_root, _roots(system)[system.sentence[system_word]], system_head)
    predicted = gold_of[predicted]
    distances = np.full(gold.words, -1, dtype=np.int64)
    distances[word] = np.where(predicted == _UNALIGNED, -1, np.abs(predicted - expected))
    return distances


def _roots(treebank: Treebank) -> Ints:
    """The root word of each sentence."""
    roots = np.zeros(treebank.sentences, dtype=np.int64)
    words = indices(treebank.parent == ROOT)
    roots[treebank.sentence[words]] = words
    return roots
