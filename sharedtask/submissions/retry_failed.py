"""Organisers retry what failed on our side, once its cause is fixed; attempts count from nothing.

In: a run that failed, or of which a file could not be scored, and a reason. Out: the same rows, waiting for a
worker again. What the run did not pay for when it failed stays unpaid: the delay was ours.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.models import Task
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.submissions import workflow
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.score_batches import enqueue_scores
from sharedtask.work import dispatch
from sharedtask.work.lease import as_new
from sharedtask.work.targets import CHECK_RUN


def hand_all_again(*, task: Task, by: User, reason: str, at: datetime | None = None) -> int:
    """Everything of a task that failed, as after an outage; how many runs that is."""
    runs = list(with_failures(task))
    for run in runs:
        hand_again(run=run, by=by, reason=reason, at=at)
    return len(runs)


def with_failures(task: Task) -> QuerySet[Run]:
    failed_scores = Score.objects.filter(file__run=OuterRef("pk"), state=Score.State.FAILED)
    failed = Q(state=Run.State.FAILED) | Exists(failed_scores)
    return task.runs.filter(failed).select_related("task", "phase").order_by("received_at", "pk")


def hand_again(*, run: Run, by: User, reason: str, at: datetime | None = None) -> None:
    at = at or clock.database_now()
    reason = reasons.required(reason)
    with transaction.atomic():
        before = Run.objects.select_for_update().get(pk=run.pk)
        scores = list(Score.objects.filter(file__run=run, state=Score.State.FAILED).select_related("file"))
        if before.state != Run.State.FAILED and not scores:
            raise Refusal("nothing-failed", "Nothing of this run has failed on our side.")
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
    rows.update(state=Score.State.WAITING, finished_at=None, **as_new(at))
    enqueue_scores(rows.select_related("file").order_by("pk"))


def check_again(run: Run, *, at: datetime) -> None:
    Run.objects.filter(pk=run.pk).update(state=Run.State.RECEIVED, finished_at=None, **as_new(at))
    dispatch.enqueue(CHECK_RUN, run.public_id)


def finish_again(run: Run, *, at: datetime) -> None:
    """Its last score finishes it; or nothing is left to score, because gold has changed since."""
    Run.objects.filter(pk=run.pk).update(state=Run.State.SCORING, finished_at=None, **as_new(at))
    if workflow.finish_run(run, at=at):
        request_standings(run.phase_id, at=at)
