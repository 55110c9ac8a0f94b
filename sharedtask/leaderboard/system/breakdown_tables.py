"""Breakdowns of one or several systems side by side: by relation, part of speech, length and direction.

In: the `Breakdowns` of each system over the same test sets, so that all figures rest on the same gold words.
Out: `Division`s whose lines have a figure for each system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.scoring.breakdown import Breakdowns
from evaluation.scoring.groups import Breakdown, Group
from sharedtask.leaderboard.system.breakdown_sums import Worst

MOST_LINES = 40


@dataclass(frozen=True, kw_only=True)
class Kind:
    name: str
    """The attribute of `Breakdowns`."""
    heading: str
    column: str
    words: str


KINDS = (
    Kind(
        name="relation",
        heading="By relation",
        column="Relation",
        words="Each word counts under its own relation, without its subtype.",
    ),
    Kind(
        name="upos",
        heading="By part of speech",
        column="UPOS",
        words="Gold words by gold’s tag, system words by the system’s.",
    ),
    Kind(
        name="length",
        heading="By length of the dependency",
        column="Words to the head",
        words="How many words lie from a word to its head; 1 is a neighbour.",
    ),
    Kind(
        name="direction",
        heading="By direction",
        column="Head stands",
        words="Whether the head comes before or after its dependent.",
    ),
    Kind(
        name="sentence_length",
        heading="By length of the sentence",
        column="Words in the sentence",
        words="By the length of the gold sentence.",
    ),
)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One system in one line. `right` counts the gold words that are correct by the first metric."""

    f1: float
    precision: float
    recall: float
    others: tuple[float, ...]
    """F1 by the other metrics that breakdowns are counted in."""
    right: int

    @property
    def percent(self) -> float:
        return round(100 * self.f1, 2)


@dataclass(frozen=True, kw_only=True)
class Line:
    label: str
    gold: int
    cells: tuple[Cell, ...]
    worst: Worst | None = None
    """Where to look for its errors; only relations are told apart in the sentence browser."""

    @property
    def difference(self) -> float:
        """Of two systems the first less the second; of one it is nought."""
        return self.cells[0].f1 - self.cells[-1].f1

    @property
    def more_right(self) -> int:
        return self.cells[0].right - self.cells[-1].right

    @property
    def best(self) -> float:
        return max(cell.f1 for cell in self.cells)

    @property
    def spread(self) -> float:
        return self.best - min(cell.f1 for cell in self.cells)

    @property
    def spread_right(self) -> int:
        return max(cell.right for cell in self.cells) - min(cell.right for cell in self.cells)


@dataclass(frozen=True, kw_only=True)
class Division:
    kind: Kind
    lines: tuple[Line, ...]
    left_out: int
    """Rarer groups that are not shown."""

    @property
    def drawn(self) -> list[tuple[Line, float, float]]:
        """With each line a bar of `more_right` from the middle: where it begins and its width in per cent."""
        widest = max((abs(line.more_right) for line in self.lines), default=0) or 1
        shares = [(line, 50 * line.more_right / widest) for line in self.lines]
        return [(line, round(50 + min(share, 0), 2), round(abs(share), 2)) for line, share in shares]


def divisions(
    totals: Sequence[Breakdowns], metrics: Sequence[str], worst: Mapping[str, Worst] | None = None
) -> list[Division]:
    """`metrics` are those that the profile counts breakdowns in.

    `worst` leads from a relation to the test set where it is wrong most often.
    """
    return [
        division(
            kind,
            [getattr(one, kind.name) for one in totals],
            metrics,
            (worst or {}) if kind.name == "relation" else {},
        )
        for kind in KINDS
    ]


def most_different_first(found: Sequence[Division]) -> list[Division]:
    """Where groups have no order of their own: those first in which most words are right for one alone."""
    return [
        replace(one, lines=tuple(sorted(one.lines, key=lambda line: -line.spread_right)))
        if one.kind.name in ("relation", "upos")
        else one
        for one in found
    ]


def division(
    kind: Kind, parts: Sequence[Breakdown], metrics: Sequence[str], worst: Mapping[str, Worst]
) -> Division:
    """Lines in the order of the first system's groups; gold is the same, so that all have the same ones."""
    groups = [{group.label: group for group in part.groups} for part in parts]
    used = [group for group in parts[0].groups if group.gold]
    lines = [
        Line(
            label=group.label,
            gold=group.gold,
            cells=tuple(cell(one.get(group.label), metrics) for one in groups),
            worst=worst.get(group.label),
        )
        for group in used[:MOST_LINES]
    ]
    return Division(kind=kind, lines=tuple(lines), left_out=max(len(used) - MOST_LINES, 0))


def cell(group: Group | None, metrics: Sequence[str]) -> Cell:
    """A group in which a system has nothing at all is not among its own."""
    metric, *others = metrics
    if group is None:
        return Cell(f1=0.0, precision=0.0, recall=0.0, others=(0.0,) * len(others), right=0)
    return Cell(
        f1=group.f1(metric),
        precision=group.precision(metric),
        recall=group.recall(metric),
        others=tuple(group.f1(name) for name in others),
        right=group.correct[metric].by_gold,
    )
