"""Stop a training, or continue one: what is missing is run again."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.curves.models import Training
from sharedtask.curves.training.describe import describe
from sharedtask.curves.training.request import refuse_second
from sharedtask.software.availability import refuse_if_unavailable
from sharedtask.software.models import Execution
from sharedtask.software.stop import stop as stop_execution
from sharedtask.teams.models import Team
from sharedtask.work import dispatch
from sharedtask.work.targets import CONTINUE_TRAINING


def stop_training(*, training: Training, by: User, reason: str = "") -> None:
    """What has been trained stays. With a `reason` by an organiser."""
    at = clock.database_now()
    with transaction.atomic():
        locked = Training.objects.select_for_update().get(pk=training.pk)
        if not locked.is_under_way:
            raise Refusal("training-has-ended", "This training has already ended.")
        end_early(locked, at=at)
        if reason:
            write_audit_entry("stop-training", training, by, reason)


def end_early(training: Training, *, problem: str = "", at: datetime) -> None:
    """In a transaction that has locked it; with a `problem` by the server."""
    training.state, training.ended_at, training.problem = Training.State.STOPPED, at, problem
    training.save(update_fields=["state", "ended_at", "problem"])
    for sample in training.trained_samples.select_related("execution"):
        if sample.execution is not None and sample.execution.state in Execution.IN_AIRLOCK:
            with suppress(Refusal):
                # It may have ended just now.
                stop_execution(sample.execution, "stopped with its series", at=at)


def run_missing_samples(*, training: Training, by: User, reason: str = "") -> None:
    """Every sample that ended without valid outputs is trained again; those that wait go on."""
    refuse_if_unavailable()
    with transaction.atomic():
        # In the order in which `proceed.py` locks them.
        locked = Training.objects.select_for_update().get(pk=training.pk)
        team = Team.objects.select_for_update().get(pk=training.version.system.team_id)
        missing = [view.sample.pk for view in describe(locked).missing]
        waiting = locked.trained_samples.filter(execution=None)
        if locked.is_under_way or not (missing or waiting.exists()):
            raise Refusal("nothing-missing", "No sample of this training is missing.")
        refuse_second(team)
        locked.trained_samples.filter(pk__in=missing).update(execution=None)
        Training.objects.filter(pk=training.pk).update(
            state=Training.State.UNDER_WAY, ended_at=None, errors=0, problem=""
        )
        if reason:
            write_audit_entry("continue-training", training, by, reason)
        dispatch.enqueue(CONTINUE_TRAINING, training.public_id)


def write_audit_entry(action: str, training: Training, by: User, reason: str) -> None:
    audit.write(
        task=training.phase.task,
        who=by,
        action=action,
        subject=training,
        reason=reasons.required(reason),
        details={"training": training.public_id},
    )
