"""From uploads to published results: check, score, release gold, analyse, compute standings, publish, pack.

In: the task with its runs, and who organises it. Out: published results. Steps that are done are
skipped.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

from django.db.models import QuerySet

from sharedtask.accounts.models import User
from sharedtask.analysis.analyse import incomplete
from sharedtask.analysis.models import GoldAnalysis
from sharedtask.archive.models import Package
from sharedtask.archive.package.find import package_of
from sharedtask.competition.models import GoldVersion, StandingRequest, Task
from sharedtask.competition.prepare_gold import UNPREPARED
from sharedtask.competition.release_gold import release_gold
from sharedtask.content.conll17 import local_work
from sharedtask.content.conll17.task import PUBLISHED
from sharedtask.core import clock
from sharedtask.standings.publish import publish_results
from sharedtask.standings.readiness import readiness
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.score_batches import batches
from sharedtask.work.lease import unclaimed

REASON = "The task is over; its data and results are public."


def score_all(task: Task, pool: Executor | None, report: local_work.Report) -> None:
    runs = Run.objects.filter(task=task)
    scores = Score.objects.filter(file__run__task=task, state=Score.State.WAITING)
    unchecked = runs.filter(state__in=[Run.State.RECEIVED, Run.State.CHECKING])
    local_work.process_all(
        "Checking runs",
        local_work.check_run,
        ready=lambda: ids_of(unchecked.filter(unclaimed(clock.database_now()))),
        left=unchecked.exists,
        pool=pool,
        report=report,
    )
    local_work.process_all(
        "Scoring batches of files",
        local_work.score_batch,
        ready=lambda: in_batches(scores.filter(unclaimed(clock.database_now()))),
        left=scores.exists,
        pool=pool,
        report=report,
    )
    uninspected = runs.to_inspect()
    local_work.process_all(
        "Looking for alarms",
        local_work.inspect_run,
        ready=lambda: ids_of(uninspected),
        left=uninspected.exists,
        pool=pool,
        report=report,
    )


def ids_of(rows: QuerySet[Any]) -> list[str]:
    return list(rows.order_by("pk").values_list("public_id", flat=True))


def keys_of(rows: QuerySet[Any]) -> list[int]:
    return list(rows.values_list("pk", flat=True))


def in_batches(scores: QuerySet[Score]) -> list[list[str]]:
    """Scores with the same gold together, so that a process decrypts it once."""
    in_order = scores.select_related("file").order_by("gold", "pk")
    return [[score.public_id for score in batch] for batch in batches(in_order)]


def release(task: Task, organiser: User, pool: Executor | None, report: local_work.Report) -> None:
    unreleased = task.test_sets.filter(gold_in_force__released_at=None)
    if unreleased.exists():
        release_gold(task=task, by=organiser, reason=REASON, at=PUBLISHED)
    unprepared = GoldVersion.objects.filter(UNPREPARED, test_set__task=task)
    local_work.process_all(
        "Releasing gold",
        local_work.prepare,
        ready=lambda: keys_of(unprepared),
        left=unprepared.exists,
        pool=pool,
        report=report,
    )
    unanalysed = incomplete().filter(test_set__task=task)
    local_work.process_all(
        "Analysing test sets",
        local_work.analyse,
        ready=lambda: keys_of(unanalysed.exclude(analysis__in=claimed_analyses())),
        left=unanalysed.exists,
        pool=pool,
        report=report,
    )


def claimed_analyses() -> QuerySet[GoldAnalysis]:
    return GoldAnalysis.objects.exclude(unclaimed(clock.database_now()))


def compute_standings(task: Task, pool: Executor | None, report: local_work.Report) -> None:
    requests = StandingRequest.objects.filter(phase__task=task)
    local_work.process_all(
        "Comparing systems",
        local_work.compute_standings,
        ready=lambda: list(requests.filter(unclaimed(clock.database_now())).values_list("phase", flat=True)),
        left=requests.exists,
        pool=pool,
        report=report,
    )


def publish(task: Task, organiser: User, report: local_work.Report) -> None:
    """With the date of 2017; a later call publishes again only if there is an unpublished standing."""
    latest = task.publications.first()
    at = clock.database_now() if latest else PUBLISHED
    published = set(latest.standings.values_list("pk", flat=True)) if latest else set()
    states = readiness(task, at=at)
    if any(state.obstacle or (state.standing and state.standing.pk not in published) for state in states):
        report("Publishing results")
        rankings = [state.key for state in states]
        publish_results(task=task, by=organiser, reason=REASON, rankings=rankings, at=at)


def pack(task: Task, pool: Executor | None, report: local_work.Report) -> None:
    def latest() -> list[int]:
        claimed = Package.objects.filter(publication__task=task).exclude(unclaimed(clock.database_now()))
        return [] if claimed.exists() else [publication.pk for publication in task.publications.all()[:1]]

    local_work.process_all(
        "Writing the data package",
        local_work.pack,
        ready=latest,
        left=lambda: package_of(task, at=clock.database_now()) is None,
        pool=pool,
        report=report,
    )
