"""Collect: an execution that has ended becomes a run, which is checked and scored like an upload.

In: an execution in state ended. Out: done with a run, if anything was written; or stopped; or failed, if it
was the platform's error, which costs no quota. A crash keeps what was written before. The run counts as
received when the execution was requested. One of an experiment is done without a run and without a notice:
its experiment, which sends one at its own end, finds the outputs in storage.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from sharedtask.competition.models import Phase
from sharedtask.competition.tracks import NO_TRACK
from sharedtask.core import clock
from sharedtask.software import execution_access, notify, replicate
from sharedtask.software.models import Execution
from sharedtask.software.request_experiment import enqueue_experiment
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.work import dispatch
from sharedtask.work.failure import Failure
from sharedtask.work.lease import released
from sharedtask.work.targets import CHECK_RUN

PLATFORM_FAILED = (
    "failed because of a server error. It does not count against your quota, and the organisers have been "
    "notified."
)


def collect(execution: Execution) -> None:
    at = clock.database_now()
    if execution.outcome.get("error_of") == "platform":
        finish_failed(execution, at=at)
    elif execution.outcome.get("stopped"):
        finish_stopped(execution, at=at)
    elif execution.purpose == Execution.Purpose.REPLICATION:
        comparison = replicate.compare(execution)
        finish(execution, at=at, state=Execution.State.DONE, comparison=comparison)
    elif execution.purpose in Execution.OF_EXPERIMENTS:
        finish(execution, at=at, state=Execution.State.DONE)
    else:
        finish_with_run(execution, at=at)


def finish(execution: Execution, *, at: datetime, **values: Any) -> bool:
    ended = Execution.objects.to_collect().filter(pk=execution.pk)
    is_finished = bool(ended.update(finished_at=execution.finished_at or at, **values, **released()))
    if is_finished:
        enqueue_experiment(execution)
    return is_finished


def finish_failed(execution: Execution, *, at: datetime) -> None:
    with transaction.atomic():
        if finish(execution, at=at, state=Execution.State.FAILED, uses_quota=False):
            notify.send_ended(execution, PLATFORM_FAILED, at=at, organisers_too=True)


def finish_stopped(execution: Execution, *, at: datetime) -> None:
    """On blind data it costs quota once it has started: how far it came has been seen.

    What has cost nothing so far, such as a replication, still costs nothing.
    """
    was_seen = execution_access.is_blind(execution, at=at) and execution.started_at is not None
    uses_quota = execution.uses_quota and was_seen
    with transaction.atomic():
        if finish(execution, at=at, state=Execution.State.STOPPED, uses_quota=uses_quota) and execution.phase:
            notify.send_ended(execution, "was stopped.", at=at)


def finish_with_run(execution: Execution, *, at: datetime) -> None:
    with transaction.atomic():
        # The same lock as for an upload, which numbers the team's runs.
        team = Team.objects.select_for_update().get(pk=execution.team_id)
        if not Execution.objects.to_collect().filter(pk=execution.pk).exists():
            return
        assert execution.phase is not None
        run = create_run(execution, team, phase=execution.phase, at=at) if execution.outputs else None
        finish(execution, at=at, state=Execution.State.DONE, run=run)
        sentence = "has ended." if run else "has ended without any output."
        notify.send_ended(execution, sentence, at=at)


def create_run(
    execution: Execution, team: Team, *, phase: Phase, track: str = NO_TRACK, at: datetime, **values: Any
) -> Run:
    """Call it in a transaction that has locked the team, which numbers its runs."""
    inherited = execution.amends.produced if execution.amends else {}
    produced = dict.fromkeys(inherited) | dict.fromkeys(execution.codes) | execution.outputs
    version = execution.version
    run = Run.objects.create(
        task_id=execution.task_id,
        phase=phase,
        team=team,
        system=version.system,
        track=track or execution.track,
        number=(team.runs.aggregate(last=Max("number"))["last"] or 0) + 1,
        uploaded_by=execution.requested_by,
        on_behalf=execution.on_behalf,
        origin=Run.Origin.SOFTWARE,
        amends=execution.amends,
        filename=f"version {version.number} of {version.system.name}"[:200],
        produced=produced,
        declared_score=execution.declared_score,
        received_at=execution.requested_at,
        # Software has a quota of its own.
        uses_quota=False,
        dispatched_at=at,
        **values,
    )
    dispatch.enqueue(CHECK_RUN, run.public_id)
    return run


def give_up(execution: Execution, failure: Failure) -> None:
    at = clock.database_now()
    with transaction.atomic():
        values = {"state": Execution.State.FAILED, "uses_quota": False, "failure": failure.as_json()}
        if finish(execution, at=at, **values):
            notify.send_ended(execution, PLATFORM_FAILED, at=at, organisers_too=True)
