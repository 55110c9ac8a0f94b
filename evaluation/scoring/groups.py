"""Counts of words in groups: the rows of breakdowns and of the confusion table.

They are integers, so that those of several files add up with `+`; fractions are derived from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

METRICS = ("UAS", "LAS", "LA")


@dataclass(frozen=True, slots=True)
class Correct:
    """Correct pairs of one metric, counted in the group of the gold word and in that of the system word."""

    by_gold: int = 0
    by_system: int = 0

    def __add__(self, other: Correct) -> Correct:
        return Correct(self.by_gold + other.by_gold, self.by_system + other.by_system)


@dataclass(frozen=True, slots=True)
class Group:
    """One row of a breakdown. `aligned` counts pairs in the group of their gold word."""

    label: str
    gold: int
    system: int
    aligned: int
    correct: Mapping[str, Correct]

    def precision(self, metric: str) -> float:
        return self.correct[metric].by_system / self.system if self.system else 0.0

    def recall(self, metric: str) -> float:
        return self.correct[metric].by_gold / self.gold if self.gold else 0.0

    def f1(self, metric: str) -> float:
        precision, recall = self.precision(metric), self.recall(metric)
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    def as_list(self) -> list[str | int]:
        """Label, gold, system, aligned, then for each metric the correct ones by gold and by system."""
        counts = [self.correct[metric] for metric in METRICS]
        numbers = [number for correct in counts for number in (correct.by_gold, correct.by_system)]
        return [self.label, self.gold, self.system, self.aligned, *numbers]

    @classmethod
    def from_list(cls, values: Sequence[Any]) -> Group:
        label, gold, system, aligned, *numbers = values
        correct = {m: Correct(*numbers[2 * n : 2 * n + 2]) for n, m in enumerate(METRICS)}
        return cls(label, gold, system, aligned, correct)

    def __add__(self, other: Group) -> Group:
        return Group(
            self.label,
            self.gold + other.gold,
            self.system + other.system,
            self.aligned + other.aligned,
            {metric: self.correct[metric] + other.correct[metric] for metric in self.correct},
        )


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The groups of one breakdown, in their natural order or most frequent first."""

    groups: tuple[Group, ...]
    has_order: bool

    @classmethod
    def of(cls, groups: Iterable[Group], *, has_order: bool) -> Breakdown:
        if has_order:
            return cls(tuple(groups), has_order)
        used = [g for g in groups if g.gold or g.system or any(c.by_system for c in g.correct.values())]
        return cls(tuple(sorted(used, key=lambda g: (-g.gold, -g.system, g.label))), has_order)

    def __add__(self, other: Breakdown) -> Breakdown:
        merged = {group.label: group for group in self.groups}
        for group in other.groups:
            merged[group.label] = merged[group.label] + group if group.label in merged else group
        return Breakdown.of(merged.values(), has_order=self.has_order)

    def __getitem__(self, label: str) -> Group:
        return next(group for group in self.groups if group.label == label)


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of aligned words by gold relation and system relation, without subtypes."""

    counts: Mapping[tuple[str, str], int]

    def __add__(self, other: Confusion) -> Confusion:
        merged = dict(self.counts)
        for pair, count in other.counts.items():
            merged[pair] = merged.get(pair, 0) + count
        return Confusion(merged)

    def confusions(self) -> list[tuple[str, str, int]]:
        """Gold relation, system relation, count: the pairs that differ, most frequent first."""
        wrong = [(gold, system, count) for (gold, system), count in self.counts.items() if gold != system]
        return sorted(wrong, key=lambda entry: (-entry[2], entry[:2]))
