"""Breakdowns of one or several systems side by side: by relation, part of speech, length and direction.

In: the `Breakdowns` of each system over the same test sets, so that all figures cover the same gold words,
and the metrics to show, the chosen one first. Out: `BreakdownTable`s whose rows have a figure for each
system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation import Profile
from evaluation.scoring.breakdown import Breakdowns
from evaluation.scoring.groups import NOTHING, Breakdown
from evaluation.scoring.selection import IN_EVERY_BREAKDOWN
from evaluation.showing.axis import Axis
from sharedtask.leaderboard.system.breakdown_sums import WorstTestSet

MAX_ROWS = 40
FRACTION = Axis(low=0.0, high=1.0)


@dataclass(frozen=True, kw_only=True)
class BreakdownKind:
    name: str
    """The attribute of `Breakdowns`."""
    heading: str
    column: str
    explanation: str


KINDS = (
    BreakdownKind(
        name="relation",
        heading="By relation",
        column="Relation",
        explanation="Each word counts under its own relation, without subtypes.",
    ),
    BreakdownKind(
        name="upos",
        heading="By part of speech",
        column="UPOS",
        explanation="Gold words by their gold tag, system words by their system tag.",
    ),
    BreakdownKind(
        name="length",
        heading="By dependency length",
        column="Words to the head",
        explanation="Distance from a word to its head, in words that the profile counts; 1 means adjacent.",
    ),
    BreakdownKind(
        name="direction",
        heading="By direction",
        column="Position of the head",
        explanation="Whether the head comes before or after its dependent.",
    ),
    BreakdownKind(
        name="sentence_length",
        heading="By sentence length",
        column="Words in the sentence",
        explanation="By the length of the gold sentence.",
    ),
)


@dataclass(frozen=True, kw_only=True)
class BreakdownCell:
    """One system in one row. `correct` counts gold words that are correct by the first metric."""

    f1: float
    precision: float
    recall: float
    others: tuple[float, ...]
    """F1 by the other metrics that are shown."""
    correct: int

    @property
    def percent(self) -> float:
        return FRACTION.percent(self.f1)


@dataclass(frozen=True, kw_only=True)
class BreakdownRow:
    label: str
    gold: int
    cells: tuple[BreakdownCell, ...]
    worst: WorstTestSet | None = None
    """Where to look for its errors; only for relations, which the sentence browser can filter by."""

    @property
    def difference(self) -> float:
        """The first system minus the last; 0 for a single system."""
        return self.cells[0].f1 - self.cells[-1].f1

    @property
    def more_correct(self) -> int:
        return self.cells[0].correct - self.cells[-1].correct

    @property
    def best(self) -> float:
        return max(cell.f1 for cell in self.cells)

    @property
    def spread(self) -> float:
        return self.best - min(cell.f1 for cell in self.cells)

    @property
    def spread_correct(self) -> int:
        return max(cell.correct for cell in self.cells) - min(cell.correct for cell in self.cells)


@dataclass(frozen=True, kw_only=True)
class BreakdownTable:
    kind: BreakdownKind
    rows: tuple[BreakdownRow, ...]
    left_out: int
    """Rarer groups that are not shown."""

    @property
    def rows_with_bars(self) -> list[tuple[BreakdownRow, float, float]]:
        """Each row with start and length of a bar of `more_correct`, in percent; zero is in the middle."""
        widest = max((abs(row.more_correct) for row in self.rows), default=0) or 1
        axis = Axis(low=-widest, high=widest)
        return [(row, *axis.span(min(row.more_correct, 0), max(row.more_correct, 0))) for row in self.rows]


def breakdown_tables(
    systems: Sequence[Breakdowns],
    metrics: Sequence[str],
    worst: Mapping[str, Mapping[str, WorstTestSet]] | None = None,
) -> list[BreakdownTable]:
    """`worst` gives, for each metric and relation, the test set with most of its errors."""
    worst_of_relations = (worst or {}).get(metrics[0], {})
    return [
        breakdown_table(
            kind,
            [getattr(breakdowns, kind.name) for breakdowns in systems],
            metrics,
            worst_of_relations if kind.name == "relation" else {},
        )
        for kind in KINDS
    ]


def most_different_first(tables: Sequence[BreakdownTable]) -> list[BreakdownTable]:
    """Sorts the tables whose groups have no order of their own, by the spread of correct words."""
    return [
        replace(table, rows=tuple(sorted(table.rows, key=lambda row: -row.spread_correct)))
        if table.kind.name in ("relation", "upos")
        else table
        for table in tables
    ]


def metrics_of_breakdowns(profile: Profile, chosen: str) -> tuple[str, ...]:
    """The chosen metric, if it counts words, then those that the profile shows next to it.

    There is always one: every breakdown has label accuracy, even if no metric of the profile counts words.
    """
    if chosen not in profile.word_metrics:
        return profile.breakdown or tuple(profile.word_metrics)[:1] or (IN_EVERY_BREAKDOWN,)
    return (chosen, *(name for name in profile.breakdown if name != chosen))


def breakdown_table(
    kind: BreakdownKind,
    systems: Sequence[Breakdown],
    metrics: Sequence[str],
    worst: Mapping[str, WorstTestSet],
) -> BreakdownTable:
    """Rows in the order of the first system's groups."""
    in_gold = [(label, tally.gold) for label, tally in systems[0].groups(metrics[0]) if tally.gold]
    cells = [breakdown_cells(system, metrics) for system in systems]
    # Of very many labels, those that are rare in gold and output are one group, which differs by system.
    empty = BreakdownCell(f1=0.0, precision=0.0, recall=0.0, others=(0.0,) * len(metrics[1:]), correct=0)
    rows = [
        BreakdownRow(
            label=label,
            gold=gold,
            cells=tuple(of_system.get(label, empty) for of_system in cells),
            worst=worst.get(label),
        )
        for label, gold in in_gold[:MAX_ROWS]
    ]
    return BreakdownTable(kind=kind, rows=tuple(rows), left_out=max(len(in_gold) - MAX_ROWS, 0))


def breakdown_cells(breakdown: Breakdown, metrics: Sequence[str]) -> dict[str, BreakdownCell]:
    """One system's cells by group."""
    metric, *others = metrics
    of_others = [dict(breakdown.groups(name)) for name in others]
    return {
        label: BreakdownCell(
            f1=tally.f1,
            precision=tally.precision,
            recall=tally.recall,
            others=tuple(groups.get(label, NOTHING).f1 for groups in of_others),
            correct=tally.correct_by_gold,
        )
        for label, tally in breakdown.groups(metric)
    }
