"""Runs with made-up scores, and the standings that workers would compute of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

import evaluation
from evaluation.scoring.units import ENOUGH_UNITS
from sharedtask.competition.models import Phase, StandingRequest, Task, TestSet
from sharedtask.competition.store_files import store_gold
from sharedtask.core import clock
from sharedtask.standings import recompute
from sharedtask.standings.models import Standing
from sharedtask.submissions import unit_counts
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.storing import store_raw_text

WHOLE = 1_000_000


def scored(
    phase: Phase,
    name: str,
    las: float,
    *,
    minutes: int = 0,
    others: Mapping[str, float] | None = None,
    **values: Any,
) -> Run:
    """A run of an hour ago that was scored with this LAS on every test set of the phase, 0.5 by all else.

    `others` are figures of other metrics.
    """
    task, others = phase.task, others or {}
    team = Team.objects.filter(task=task, name=name).first()
    team = team or register(task=task, name=name, is_baseline=values.pop("baseline", False), confirmed=True)
    run = Run.objects.create(
        task=task,
        phase=phase,
        team=team,
        system=values.pop("system", team.primary_system),
        number=team.runs.count() + 1,
        filename="run.zip",
        archive="uploads/none",
        sha256="0" * 64,
        state="scored",
        checked_at=timezone.now(),
        received_at=timezone.now() + timedelta(minutes=minutes - 60),
        **values,
    )
    for test_set in phase.test_sets.all():
        file = RunFile.objects.create(run=run, test_set=test_set, state="valid")
        give_score(file, [las], **{name: [figure] for name, figure in others.items()})
    return run


def give_score(file: RunFile, las: list[float], **others: list[float]) -> Score:
    """One unit of resampling for each figure, all of them several times until there are enough of them."""
    times = -(-ENOUGH_UNITS // len(las))
    las = las * times
    figures = {"LAS": las, **{name: values * times for name, values in others.items()}}
    metrics = evaluation.PROFILES[file.run.task.profile].metrics
    values = np.full((len(las), len(metrics), 4), WHOLE, dtype=np.int32)
    for place, metric in enumerate(metrics):
        values[:, place, 2] = [round(item * WHOLE) for item in figures.get(metric, [0.5] * len(las))]
    sums = values.sum(axis=0, dtype=np.int64).tolist()
    counts = {
        metric: dict(zip(("gold", "system", "correct", "aligned"), sums[place], strict=True))
        for place, metric in enumerate(metrics)
    }
    score = Score.objects.create(file=file, gold=file.test_set.gold_in_force, state="scored", counts=counts)
    unit_counts.store([(score, evaluation.Counts(tuple(metrics), values))])
    score.units = unit_counts.name_of(score)
    score.save(update_fields=["units"])
    return score


def compare(phase: Phase) -> dict[str, Standing]:
    """What a worker would do now for this phase: its standings by ranking."""
    expected, _ = StandingRequest.objects.get_or_create(phase=phase)
    return {
        standing.ranking: standing
        for standing in recompute.recompute_phase(expected, at=clock.database_now())
    }


def assert_queries_do_not_grow(client: Client, phase: Phase, addresses: Sequence[str], *, most: int) -> None:
    """Each page asks the database as often for eight systems on many test sets as for two on few."""
    Task.objects.update(replicates=10)
    phase.task.refresh_from_db()
    counts = []
    for teams, sets in ((2, 1), (6, 6)):
        enlarge(phase, teams=teams, sets=sets)
        for address in addresses:
            # What is kept for the next reader is made by the first.
            client.get(address)
            with CaptureQueriesContext(connection) as queries:
                assert client.get(address).status_code == 200
            assert len(queries) <= most, queries.captured_queries
            counts.append(len(queries))
    assert counts[: len(addresses)] == counts[len(addresses) :]


def enlarge(phase: Phase, *, teams: int, sets: int) -> None:
    """So many more test sets and scored systems, and the standings that follow."""
    for number in range(sets):
        added = TestSet.objects.create(task=phase.task, code=f"x{teams}_{number}", groups=["big"])
        store_raw_text(added, "Birds sing loudly")
        store_gold(added, added.code.encode())
        phase.test_sets.add(added)
    for number in range(teams):
        scored(phase, f"Team {teams} {number}", number / 10, minutes=teams)
    compare(phase)


def close_now(task: Task) -> None:
    """Every phase: gold of a test that is open is not released, nor are its results published."""
    task.phases.update(closes_at=clock.database_now())
