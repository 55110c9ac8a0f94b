"""Step 8, standings: what the leaderboard page shows of a task, read from the averages the workers
recorded.

In: a task. Out: `Standings`, columns and rows as they are printed (F1 × 100 with two decimals), with
ranks. Rows that are equal as printed share a rank, and the next rank counts them: 1, 2, 2, 4. Three
queries, whatever the size.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.crypto import salted_hmac

import evaluation
from sharedtask.competition.models import Task, TestSet
from sharedtask.submissions.models import Run

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
    columns: tuple[str, ...]
    groups: tuple[str, ...]
    rows: tuple[Row, ...]
    under_way: int
    """Runs that will have their place soon; not told of a blind task, where it would be progress."""
    signature: str


def standings(task: Task) -> Standings:
    runs = Run.objects.latest_scored_of_each_team(task).select_related("team")
    ordered = sorted(runs, key=lambda run: (-value(run.averages["all"].get(MAIN)), run.team.name))
    ranks = ranks_of([printed(run.averages["all"].get(MAIN)) for run in ordered])
    if not task.baselines_ranked:
        teams = [run for run in ordered if not run.team.is_baseline]
        numbers = ranks_of([printed(run.averages["all"].get(MAIN)) for run in teams])
        by_run = dict(zip([run.pk for run in teams], numbers, strict=True))
        ranks = [by_run.get(run.pk) for run in ordered]
    return Standings(
        columns=COLUMNS,
        groups=tuple(task.groups),
        rows=tuple(row(run, rank, task) for run, rank in zip(ordered, ranks, strict=True)),
        under_way=0 if task.blind else Run.objects.under_way(task).count(),
        signature=signature(task, list(task.test_sets.all())),
    )


def row(run: Run, rank: int | None, task: Task) -> Row:
    averages = run.averages
    files = averages["files"]
    return Row(
        rank=rank,
        run=run,
        scores=tuple(printed(averages["all"].get(column)) for column in COLUMNS),
        groups=tuple(printed(averages["groups"].get(group, {}).get(MAIN)) for group in task.groups),
        not_scored=files.get("missing", 0) + files.get("invalid", 0),
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


def signature(task: Task, test_sets: Sequence[TestSet]) -> str:
    """One line that says how to get the table again; two tables compare only if it is the same."""
    codes = [test_set.code for test_set in test_sets]
    gold = "\n".join(sorted(test_set.gold_sha256 for test_set in test_sets))
    # The hash of unreleased gold would let anybody confirm a leaked file; a keyed one does not.
    keyed = salted_hmac("leaderboard.gold", gold, algorithm="sha256") if task.blind else None
    gold_hash = keyed or hashlib.sha256(gold.encode())
    listed = hashlib.sha256("\n".join(sorted(codes)).encode())
    return "|".join(
        [
            f"profile:{task.profile}",
            f"metric:{MAIN}",
            "average:macro",
            f"missing:{task.missing_policy}",
            f"sets:{len(codes)}.{listed.hexdigest()[:8]}",
            f"gold:{gold_hash.hexdigest()[:8]}",
            f"baselines:{'ranked' if task.baselines_ranked else 'unranked'}",
            f"version:{evaluation.VERSION}",
        ]
    )
