"""Putting the installed version of a profile in force, after all stored outputs have been scored by it.

In: a task, who does it and why, and the version that was compared. Out: a `ProfileChange`. Scores and
standings of the earlier version stay.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.metrics import pending_version
from sharedtask.competition.models import Task
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.scorers.find import task_by
from sharedtask.standings.models import ProfileChange
from sharedtask.submissions import rescore
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.retry_failed import finish_again


def put_in_force(
    *, task: Task, by: User, reason: str, compared: str, at: datetime | None = None
) -> ProfileChange:
    """`compared` is the version whose scores the organiser has seen."""
    reason = reasons.required(reason)
    # For runs that were checked after the last sweep. Before the transaction, so that these scores stay
    # requested even if this is refused.
    rescore.score_by_pending_profile(task, at=at or clock.database_now())
    with transaction.atomic():
        at = at or clock.database_now()
        task = Task.objects.select_for_update().get(pk=task.pk)
        version = pending_version(task)
        if version is None or version != compared:
            raise Refusal(
                "profile-changed",
                "The profile has changed since you opened this page. Check the comparison again.",
            )
        waiting = scores_by(task, version).filter(state=Score.State.WAITING).count()
        if waiting:
            files = f"{waiting} files are" if waiting > 1 else "1 file is"
            raise Refusal("still-scoring", f"{files} still being scored by the new version.")
        change = ProfileChange.objects.create(
            task=task, at=at, by=by, reason=reason, before=task.profile_version, after=version
        )
        task.scorer = task_by(task, version).scorer
        task.profile_version = version
        task.save(update_fields=["scorer", "profile_version"])
        finish_runs_that_failed(task, at=at)
        for phase in task.phases.all():
            request_standings(phase.pk, at=at)
        audit.write(
            task=task,
            who=by,
            action="put-profile-in-force",
            subject=change,
            reason=reason,
            details={"versions": [change.before, change.after]},
            at=at,
        )
    return change


def scores_by(task: Task, version: str) -> QuerySet[Score]:
    """Against the gold in force: what the comparison consists of."""
    return Score.objects.filter(
        file__run__task=task, profile_version=version, gold=F("file__test_set__gold_in_force")
    )


def finish_runs_that_failed(task: Task, *, at: datetime) -> None:
    """Runs that only the earlier version could not score."""
    unscored = Score.objects.filter(file__run=OuterRef("pk"), state=Score.State.FAILED).in_force()
    failed = task.runs.filter(~Exists(unscored), state=Run.State.FAILED, checked_at__isnull=False)
    for run in failed.select_related("phase", "task"):
        finish_again(run, at=at)
