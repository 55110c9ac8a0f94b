"""Proceed with a training: request executions for samples that wait, and make runs of those that have ended.

In: the public id of a training, from a message: it was requested, one of its executions has ended, or one of
its runs was scored. The row of the training is locked, and what has been requested is written into its
samples, so that doing it twice changes nothing. The sweep finds trainings whose message was lost.

A refusal that will not pass by itself, or one server error after another, stops the training with the reason.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, Q

from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.curves.models import TrainedSample, Training
from sharedtask.curves.training import access, notify
from sharedtask.curves.training.files import inputs_of, prepare
from sharedtask.curves.training.stop import end_early
from sharedtask.software import quota
from sharedtask.software.collect import create_run
from sharedtask.software.models import Execution
from sharedtask.software.request_experiment import request_experiment_execution
from sharedtask.teams.models import Team
from sharedtask.work.kinds import Job
from sharedtask.work.perform import database_answers
from sharedtask.work.targets import CONTINUE_TRAINING

log = logging.getLogger(__name__)

PURPOSE = Execution.Purpose.TRAINING
PASSING = {"too-many-executions", "software-unavailable"}
"""Refusals after which a training waits: another experiment was faster, or the airlock is down."""
MAX_ERRORS = 20
"""In a row; the sweep waits a little before each."""
SERVER_ERROR = "A server error has stopped the training. Its samples can be run again later."


def proceed(public_id: str) -> None:
    try:
        take_steps(public_id)
    except Exception:
        if database_answers():
            count_error(public_id)
        raise


def take_steps(public_id: str) -> None:
    at = clock.database_now()
    with transaction.atomic():
        locked = Training.objects.select_for_update(of=("self",)).filter(public_id=public_id)
        for training in access.with_related(locked):
            follow_restarts(training)
            samples = list(training.trained_samples.select_related("execution__run"))
            make_runs(training, samples, at=at)
            if training.is_under_way:
                request_next(training, samples, at=at)
                end_if_complete(training, samples, at=at)
            if training.errors:
                training.errors = 0
                training.save(update_fields=["errors"])


def count_error(public_id: str) -> None:
    with transaction.atomic():
        locked = Training.objects.select_for_update(of=("self",)).under_way().filter(public_id=public_id)
        for training in access.with_related(locked):
            training.errors += 1
            training.save(update_fields=["errors"])
            if training.errors >= MAX_ERRORS:
                stop_for_good(training, SERVER_ERROR, at=clock.database_now())


def stop_for_good(training: Training, problem: str, *, at: datetime) -> None:
    end_early(training, problem=problem, at=at)
    notify.send_ended(training, at=at)


def follow_restarts(training: Training) -> None:
    """An organiser may have restarted an execution: the last one of a part counts."""
    last = {
        execution.part: execution
        for execution in Execution.objects.parts_of(training.public_id, PURPOSE).order_by("pk")
    }
    for sample in training.trained_samples.filter(execution__isnull=False):
        execution = last.get(sample.part)
        if execution is not None and execution.pk != sample.execution_id:
            sample.execution = execution
            sample.save(update_fields=["execution"])


def make_runs(training: Training, samples: Sequence[TrainedSample], *, at: datetime) -> None:
    """What was written becomes a run of the series: it is checked, scored and analysed like declared ones."""
    for sample in samples:
        execution = sample.execution
        if execution is None or not sample.is_run_due:
            continue
        team = Team.objects.select_for_update().get(pk=execution.team_id)
        execution.run = create_run(
            execution,
            team,
            phase=training.phase,
            track=training.track,
            training_size=sample.size,
            training_sample=sample.number,
            at=at,
        )
        execution.save(update_fields=["run"])


def request_next(training: Training, samples: Sequence[TrainedSample], *, at: datetime) -> None:
    waiting = [sample for sample in samples if sample.execution is None]
    room = quota.room_for_experiments(training.version.system.team)
    for sample in waiting[:room]:
        prepare(training)
        sample.attempts += 1
        try:
            sample.execution = request_experiment_execution(
                version=training.version,
                purpose=PURPOSE,
                experiment=training.public_id,
                part=sample.part,
                inputs=inputs_of(training, sample),
                by=training.requested_by,
                on_behalf=training.on_behalf,
                at=at,
            )
        except Refusal as refusal:
            log.info("the next sample of %s is refused: %s", training.public_id, refusal.message)
            if refusal.id not in PASSING:
                stop_for_good(training, refusal.message, at=at)
            return
        sample.save(update_fields=["attempts", "execution"])


def end_if_complete(training: Training, samples: Sequence[TrainedSample], *, at: datetime) -> None:
    if all(sample.is_settled for sample in samples):
        training.state, training.ended_at = Training.State.ENDED, at
        training.save(update_fields=["state", "ended_at"])
        notify.send_ended(training, at=at)


def overdue(at: datetime, patience: timedelta) -> list[str]:
    """Trainings of which a sample waits and none is being executed, or all are done."""
    in_airlock = Q(trained_samples__execution__state__in=[*Execution.IN_AIRLOCK, Execution.State.ENDED])
    trainings = Training.objects.under_way().annotate(
        executed=Count("trained_samples", filter=in_airlock),
        waiting=Count("trained_samples", filter=Q(trained_samples__execution=None)),
    )
    short = Q(executed__lt=quota.MAX_OF_EXPERIMENTS_UNDER_WAY, waiting__gt=0)
    return list(trainings.filter(short | Q(executed=0)).values_list("public_id", flat=True))


JOB = Job(target=CONTINUE_TRAINING, run=proceed, overdue=overdue)
