"""Advance an experiment: the next step that is possible now, by a worker that holds it.

In: the public id of an experiment, from a message after each of its executions, or from the sweep. Out: its
inputs written, further executions requested, its controls checked, its figures computed, or its end with the
reason. Every step can be repeated: a worker that is killed loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction

import evaluation
from evaluation.cascades.outputs import InvalidExperiment
from sharedtask.cascades import notify
from sharedtask.cascades.analyse import failed_controls, record_counts
from sharedtask.cascades.models import Experiment, ExperimentQuerySet, ExperimentSet
from sharedtask.cascades.parts import Part, all_complete, parts_of
from sharedtask.cascades.prepare import inputs_of, prepare
from sharedtask.competition.task_access import gold_state
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.software import quota
from sharedtask.software.describe import outcome_sentence
from sharedtask.software.models import Execution
from sharedtask.software.public_gold import WHY, is_public
from sharedtask.software.request_experiment import request_experiment_execution
from sharedtask.software.stop import stop
from sharedtask.visibility.terms import GoldState
from sharedtask.work import dispatch
from sharedtask.work.failure import Failure
from sharedtask.work.kinds import WorkKind
from sharedtask.work.lease import released
from sharedtask.work.retry import RetryPolicy
from sharedtask.work.targets import ADVANCE_EXPERIMENT

SERVER_ERROR = "A server error has ended the experiment. The organisers have been notified."


class EndOfExperiment(Exception):
    """It cannot go on; the message says why."""


class AdvanceExperiment(WorkKind[Experiment]):
    target = ADVANCE_EXPERIMENT
    stage = "cascades"
    related = ("task", "team__task", "version__image", "version__system__team__task", "requested_by")
    retries = RetryPolicy(max_attempts=5, max_losses=5, max_pause=timedelta(seconds=60))

    def waiting(self) -> ExperimentQuerySet:
        return Experiment.objects.under_way()

    def process(self, row: Experiment) -> None:
        try:
            advance(row)
        except EndOfExperiment as end:
            finish(row, Experiment.State.STOPPED, str(end))

    def give_up(self, row: Experiment, failure: Failure) -> None:
        finish(row, Experiment.State.FAILED, SERVER_ERROR)

    def log_fields(self, row: Experiment) -> dict[str, str]:
        return {"experiment": row.public_id}


def advance(experiment: Experiment) -> None:
    if experiment.stop_requested_at is not None:
        stop_executions(experiment)
        raise EndOfExperiment(experiment.problem or "It was stopped.")
    sets = list(experiment.sets.select_related("test_set__task", "test_set__gold_in_force", "gold"))
    refuse_secret_gold(experiment, sets)
    if experiment.state == Experiment.State.PREPARING:
        make_inputs(experiment, sets)
    parts = parts_of(experiment)
    refuse_unusable_parts(experiment, parts)
    if not experiment.controls_hold and all_complete([part for part in parts if part.is_control]):
        check_controls(experiment, sets, parts)
    if all_complete(parts):
        analyse(experiment, sets, parts)
    else:
        request_next(experiment, sets, parts)
        release(experiment, parts)


def refuse_secret_gold(experiment: Experiment, sets: Sequence[ExperimentSet]) -> None:
    """Asked before anything is written or run: of the version in force, and of the one that is used."""
    at = clock.database_now()
    secret = [
        each.test_set.code
        for each in sets
        if not is_public(each.test_set, at=at) or gold_state(each.gold, at=at) != GoldState.RELEASED
    ]
    if secret:
        stop_executions(experiment)
        raise EndOfExperiment(f"The gold of {', '.join(secret)} is not public. {WHY}")


def make_inputs(experiment: Experiment, sets: Sequence[ExperimentSet]) -> None:
    try:
        prepare(experiment, sets)
    except evaluation.InvalidFile as error:
        raise EndOfExperiment(f"The gold of a test set cannot be used: {error}") from error
    update(experiment, state=Experiment.State.RUNNING)


def refuse_unusable_parts(experiment: Experiment, parts: Sequence[Part]) -> None:
    for part in parts:
        if part.is_unusable and part.execution is not None:
            stop_executions(experiment)
            raise EndOfExperiment(
                f"Execution {part.execution.number} ({part.title}) {how_it_ended(part.execution)}"
            )


def how_it_ended(execution: Execution) -> str:
    if execution.state == Execution.State.DONE:
        missing = sorted(set(execution.codes) - set(execution.outputs))
        return f"has no output for {', '.join(missing)}. {outcome_sentence(execution)}"
    if execution.state == Execution.State.STOPPED:
        return f"was {execution.stop_reason or 'stopped'}."
    return "failed because of a server error."


def check_controls(experiment: Experiment, sets: Sequence[ExperimentSet], parts: Sequence[Part]) -> None:
    try:
        failures = failed_controls(experiment, sets, parts)
    except InvalidExperiment as error:
        raise EndOfExperiment(sentence(error)) from error
    if failures:
        raise EndOfExperiment(" ".join(failures))
    update(experiment, controls_hold=True)


def analyse(experiment: Experiment, sets: Sequence[ExperimentSet], parts: Sequence[Part]) -> None:
    try:
        record_counts(experiment, sets, parts)
    except InvalidExperiment as error:
        raise EndOfExperiment(sentence(error)) from error
    finish(experiment, Experiment.State.DONE, "")


def sentence(error: Exception) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")


def request_next(experiment: Experiment, sets: Sequence[ExperimentSet], parts: Sequence[Part]) -> None:
    """As many as there is room for in the queue, which other teams share; controls before classes."""
    candidates = [part for part in parts if part.execution is None or part.is_unusable]
    if not experiment.controls_hold:
        candidates = [part for part in candidates if part.is_control]
    for part in candidates[: quota.room_for_experiments(experiment.team)]:
        try:
            request_experiment_execution(
                version=experiment.version,
                purpose=Execution.Purpose.CASCADES,
                experiment=experiment.public_id,
                part=part.title,
                inputs=inputs_of(experiment, sets, part.run),
                by=experiment.requested_by,
                on_behalf=experiment.on_behalf,
            )
        except Refusal as refusal:
            if refusal.id == "too-many-executions":
                return
            stop_executions(experiment)
            raise EndOfExperiment(refusal.message) from refusal


def release(experiment: Experiment, seen: Sequence[Part]) -> None:
    """Nothing can be done until another execution has ended, unless one did since the parts were read."""
    update(experiment, attempts=0, losses=0, failure={}, **released())
    before = {part.run: part.execution and part.execution.is_final for part in seen if part.execution}
    now = {part.run: part.execution.is_final for part in parts_of(experiment) if part.execution}
    if any(now[run] and not before.get(run, False) for run in now):
        dispatch.enqueue(ADVANCE_EXPERIMENT, experiment.public_id)


def finish(experiment: Experiment, state: Experiment.State, problem: str) -> None:
    at = clock.database_now()
    with transaction.atomic():
        under_way = Experiment.objects.under_way().filter(pk=experiment.pk)
        if under_way.update(state=state, problem=problem, finished_at=at, **released()):
            experiment.state, experiment.problem = state, problem
            notify.send_finished(experiment, at=at)


def stop_executions(experiment: Experiment) -> None:
    executions = Execution.objects.parts_of(experiment.public_id, Execution.Purpose.CASCADES)
    for execution in executions.under_way():
        try:
            stop(execution, "stopped with its experiment", at=clock.database_now())
        except Refusal:
            # It has ended meanwhile.
            continue


def update(experiment: Experiment, **values: object) -> None:
    Experiment.objects.under_way().filter(pk=experiment.pk).update(**values)
    for name, value in values.items():
        setattr(experiment, name, value)
