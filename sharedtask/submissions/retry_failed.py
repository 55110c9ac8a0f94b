"""Organisers retry work that failed because of a server error; attempts are counted from zero again.

In: a run that failed, or of which a file could not be scored, and a reason. Out: the same rows, waiting for a
worker again. Quota that was given back when the run failed stays given back: the delay was ours.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.metrics import installed_version
from sharedtask.competition.models import Task
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.submissions import workflow
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.score_batches import enqueue_scores
from sharedtask.work import dispatch
from sharedtask.work.lease import fresh_lease
from sharedtask.work.targets import CHECK_RUN


def retry_runs(*, task: Task, by: User, reason: str, at: datetime | None = None) -> int:
    """All failed work of a task, for example after an outage. Returns the number of runs."""
    runs = list(runs_with_failures(task))
    for run in runs:
        retry_run(run=run, by=by, reason=reason, at=at)
    return len(runs)


def runs_with_failures(task: Task) -> QuerySet[Run]:
    failed_scores = failed(task).filter(file__run=OuterRef("pk"))
    has_failed = Q(state=Run.State.FAILED) | Exists(failed_scores)
    return task.runs.filter(has_failed).select_related("task", "phase").order_by("received_at", "pk")


def failed(task: Task) -> QuerySet[Score]:
    """Without those by a version of the profile that is no longer of any use."""
    versions = {task.profile_version, installed_version(task)} - {None}
    return Score.objects.filter(state=Score.State.FAILED, profile_version__in=versions)


def retry_run(*, run: Run, by: User, reason: str, at: datetime | None = None) -> None:
    at = at or clock.database_now()
    reason = reasons.required(reason)
    with transaction.atomic():
        before = Run.objects.select_for_update().get(pk=run.pk)
        scores = list(failed(run.task).filter(file__run=run).select_related("file"))
        if before.state != Run.State.FAILED and not scores:
            raise Refusal("nothing-failed", "No part of this run has failed because of a server error.")
        audit.write(
            task=run.task,
            who=by,
            action="retry-run",
            subject=run,
            reason=reason,
            details={"run": run.public_id, "before": before.state, "files": len(scores)},
            at=at,
        )
        score_again(scores, at=at)
        if before.state == Run.State.FAILED and before.checked_at is None:
            check_again(before, at=at)
        elif before.state == Run.State.FAILED:
            finish_again(before, at=at)


def score_again(scores: list[Score], *, at: datetime) -> None:
    rows = Score.objects.filter(pk__in=[score.pk for score in scores])
    rows.update(state=Score.State.WAITING, finished_at=None, **fresh_lease(at))
    enqueue_scores(rows.select_related("file").order_by("pk"))


def check_again(run: Run, *, at: datetime) -> None:
    Run.objects.filter(pk=run.pk).update(state=Run.State.RECEIVED, finished_at=None, **fresh_lease(at))
    dispatch.enqueue(CHECK_RUN, run.public_id)


def finish_again(run: Run, *, at: datetime) -> None:
    """The last score finishes the run; at once if nothing is left to score because gold has changed."""
    Run.objects.filter(pk=run.pk).update(state=Run.State.SCORING, finished_at=None, **fresh_lease(at))
    if workflow.finish_run(run, at=at):
        request_standings(run.phase_id, at=at)
