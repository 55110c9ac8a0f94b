"""What the leaderboard page shows of a phase, computed from the scores against the gold in force.

In: a phase and the moment. Out: `Standings`, columns and rows as they are printed (F1 × 100 with two
decimals), with ranks. Rows that are equal as printed share a rank, and the next rank counts them: 1, 2, 2, 4.
Four queries, whatever the size.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import evaluation
from sharedtask import visibility
from sharedtask.competition.models import GoldVersion, Phase, TestSet
from sharedtask.submissions.average import Averages, FileCounts, average
from sharedtask.submissions.models import Run, Score

MAIN = "LAS"
COLUMNS = ("LAS", "CLAS", "Tokens", "Words", "Sentences")
NOTHING = "–"


@dataclass(frozen=True, kw_only=True)
class Row:
    rank: int | None
    """None for a baseline where the task gives baselines no number."""
    run: Run
    scores: tuple[str, ...]
    groups: tuple[str, ...]
    not_scored: int
    """Files that were missing or invalid."""


@dataclass(frozen=True, kw_only=True)
class Standings:
    phase: Phase
    columns: tuple[str, ...]
    groups: tuple[str, ...]
    rows: tuple[Row, ...]
    under_way: int
    """Runs that will have their place soon; not told of a blind phase, where it would be progress."""
    signature: str


@dataclass(frozen=True, kw_only=True)
class Entry:
    run: Run
    averages: Averages
    scored: int

    @property
    def figure(self) -> float | None:
        return self.averages.all.get(MAIN)


def standings(phase: Phase, *, at: datetime) -> Standings:
    task = phase.task
    test_sets = list(phase.test_sets.revealed(at=at).select_related("gold_in_force"))
    runs = list(Run.objects.latest_scored_of_each_system(phase).select_related("team", "system"))
    counts = counts_by_run(runs, test_sets)
    entries = [
        Entry(run=run, averages=average(task, test_sets, counts[run.pk]), scored=len(counts[run.pk]))
        for run in runs
    ]
    entries.sort(key=lambda entry: (-value(entry.figure), entry.run.team.name, entry.run.system.name))
    ranked = [entry for entry in entries if task.baselines_ranked or not entry.run.team.is_baseline]
    ranks = dict(
        zip(
            [entry.run.pk for entry in ranked],
            ranks_of([printed(entry.figure) for entry in ranked]),
            strict=True,
        )
    )
    return Standings(
        phase=phase,
        columns=COLUMNS,
        groups=tuple(task.groups),
        rows=tuple(row(entry, ranks.get(entry.run.pk), phase, len(test_sets)) for entry in entries),
        under_way=0 if visibility.is_blind(phase, at=at) else Run.objects.under_way(phase).count(),
        signature=signature(phase, test_sets),
    )


def counts_by_run(runs: Sequence[Run], test_sets: Sequence[TestSet]) -> Mapping[int, dict[str, FileCounts]]:
    counts: dict[int, dict[str, FileCounts]] = defaultdict(dict)
    scores = Score.objects.filter(file__run__in=runs, file__test_set__in=test_sets).done().in_force()
    for run, code, figures in scores.values_list("file__run", "file__test_set__code", "counts"):
        counts[run][code] = figures
    return counts


def row(entry: Entry, rank: int | None, phase: Phase, test_sets: int) -> Row:
    averages = entry.averages
    return Row(
        rank=rank,
        run=entry.run,
        scores=tuple(printed(averages.all.get(column)) for column in COLUMNS),
        groups=tuple(printed(averages.groups.get(group, {}).get(MAIN)) for group in phase.task.groups),
        not_scored=test_sets - entry.scored,
    )


def value(fraction: float | None) -> float:
    return -1.0 if fraction is None else fraction


def printed(fraction: float | None) -> str:
    return NOTHING if fraction is None else f"{100 * fraction:.2f}"


def ranks_of(figures: Sequence[str]) -> list[int | None]:
    """Ranks of figures in falling order; equal as printed means equal."""
    ranks: list[int | None] = []
    for position, figure in enumerate(figures):
        equal = position > 0 and figure == figures[position - 1]
        ranks.append(ranks[-1] if equal else position + 1)
    return ranks


def signature(phase: Phase, test_sets: Sequence[TestSet]) -> str:
    """One line that says how to get the table again; two tables compare only if it is the same."""
    task = phase.task
    codes = [test_set.code for test_set in test_sets]
    versions = [test_set.gold_in_force for test_set in test_sets if test_set.gold_in_force]
    gold = hashlib.sha256("\n".join(sorted(map(shown_hash, versions))).encode())
    listed = hashlib.sha256("\n".join(sorted(codes)).encode())
    return "|".join(
        [
            f"profile:{task.profile}",
            f"metric:{MAIN}",
            "average:macro",
            f"missing:{task.missing_policy}",
            f"sets:{len(codes)}.{listed.hexdigest()[:8]}",
            f"gold:{gold.hexdigest()[:8]}",
            f"baselines:{'ranked' if task.baselines_ranked else 'unranked'}",
            f"version:{evaluation.VERSION}",
        ]
    )


def shown_hash(version: GoldVersion) -> str:
    """The hash of unreleased gold would let anybody confirm a leaked file; a keyed one does not."""
    return version.sha256 if version.is_released else version.keyed_hash
