"""Counts of words in groups: breakdowns and the table of confusions.

They are integers, so that those of several files add up; fractions are derived from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from ..reading.fields import Ints


@dataclass(frozen=True, slots=True)
class GroupTally:
    """The counts of one metric in one group.

    Aligned pairs count in the group of their gold word; correct ones both there and, on the other side, in
    the group of their system word.
    """

    gold: int = 0
    system: int = 0
    aligned: int = 0
    correct_by_gold: int = 0
    correct_by_system: int = 0

    @property
    def precision(self) -> float:
        return self.correct_by_system / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        return self.correct_by_gold / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        precision, recall = self.precision, self.recall
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    @property
    def wrong(self) -> int:
        """Gold words that the system does not get right."""
        return self.gold - self.correct_by_gold


COUNTS = len(fields(GroupTally))
"""How many counts a group has for each metric."""
NOTHING = GroupTally()


@dataclass(frozen=True, slots=True, eq=False)
class Breakdown:
    """The groups of one breakdown: `counts[group, metric]` has the counts of a `GroupTally`.

    Without an order of their own, the groups are ordered by frequency, the most frequent first.
    """

    labels: tuple[str, ...]
    metrics: tuple[str, ...]
    counts: Ints
    has_order: bool

    @classmethod
    def total(cls, parts: Sequence[Breakdown]) -> Breakdown:
        """Several breakdowns of the same kind, added up group by group."""
        metrics, has_order = parts[0].metrics, parts[0].has_order
        if any(part.metrics != metrics for part in parts):
            raise ValueError("breakdowns by different metrics cannot be added")
        labels = tuple(dict.fromkeys(label for part in parts for label in part.labels))
        place = {label: n for n, label in enumerate(labels)}
        counts = np.zeros((len(labels), len(metrics), COUNTS), dtype=np.int64)
        for part in parts:
            counts[[place[label] for label in part.labels]] += part.counts
        return cls(labels, metrics, counts, has_order).in_order()

    def in_order(self) -> Breakdown:
        """The used groups by frequency, if they have no order of their own."""
        if self.has_order:
            return self
        # A group is as frequent as in the metric that counts most of its words.
        frequency = self.counts.max(axis=1, initial=0).tolist()
        used = [n for n, counts in enumerate(frequency) if any(counts)]
        order = sorted(used, key=lambda n: (-frequency[n][0], -frequency[n][1], self.labels[n]))
        return Breakdown(tuple(self.labels[n] for n in order), self.metrics, self.counts[order], False)

    def groups(self, metric: str) -> list[tuple[str, GroupTally]]:
        """The groups by one metric, in their own order or ordered by the words that the metric counts.

        In the latter case, groups in which it counts nothing are left out.
        """
        counts = self.counts[:, self.metrics.index(metric)].tolist()
        groups = [(label, GroupTally(*row)) for label, row in zip(self.labels, counts, strict=True)]
        if self.has_order:
            return groups
        used = [(label, tally) for label, tally in groups if tally != NOTHING]
        return sorted(used, key=lambda group: (-group[1].gold, -group[1].system, group[0]))

    def __getitem__(self, label: str) -> Mapping[str, GroupTally]:
        """The counts of one group by metric."""
        counts = self.counts[self.labels.index(label)].tolist()
        return {metric: GroupTally(*row) for metric, row in zip(self.metrics, counts, strict=True)}

    def __add__(self, other: Breakdown) -> Breakdown:
        return Breakdown.total([self, other])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Breakdown):
            return NotImplemented
        names = (self.labels, self.metrics, self.has_order) == (other.labels, other.metrics, other.has_order)
        return names and np.array_equal(self.counts, other.counts)


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of aligned words by gold relation and system relation, without subtypes."""

    counts: Mapping[tuple[str, str], int]

    @classmethod
    def total(cls, parts: Sequence[Confusion]) -> Confusion:
        merged: dict[tuple[str, str], int] = {}
        for part in parts:
            for pair, count in part.counts.items():
                merged[pair] = merged.get(pair, 0) + count
        return cls(merged)

    def __add__(self, other: Confusion) -> Confusion:
        return Confusion.total([self, other])

    def confusions(self) -> list[tuple[str, str, int]]:
        """Gold relation, system relation, count: the pairs that differ, most frequent first."""
        wrong = [(gold, system, count) for (gold, system), count in self.counts.items() if gold != system]
        return sorted(wrong, key=lambda entry: (-entry[2], entry[:2]))

    def relations(self) -> Iterator[str]:
        """Every relation once."""
        return iter(dict.fromkeys(relation for pair in self.counts for relation in pair))
