"""Stop an execution, at any time before its outputs are collected; restart it afterwards.

One that waits in the queue is stopped at once. For one that runs, the request is written into its row, and
the worker that watches the container kills it within seconds.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.software import report
from sharedtask.software.limits import as_json, limits_of
from sharedtask.software.models import Execution
from sharedtask.software.request_execution import create_execution
from sharedtask.software.request_experiment import enqueue_experiment
from sharedtask.teams.models import Team
from sharedtask.work.lease import LEASE, released, unclaimed

MAX_REASON = 200
TIME_FOR_A_WORKER = 3 * LEASE


def stop_by_team(*, execution: Execution, by: User) -> None:
    stop(execution, "stopped by the team", at=clock.database_now())


def stop_by_organiser(*, execution: Execution, by: User, reason: str) -> None:
    reason = reasons.required(reason)
    at = clock.database_now()
    with transaction.atomic():
        stop(execution, "stopped by the organisers", at=at)
        write_audit_entry("stop-software", execution, by, reason, at=at)


def stop(execution: Execution, sentence: str, *, at: datetime) -> None:
    requested: dict[str, Any] = {"stop_requested_at": at, "stop_reason": sentence[:MAX_REASON]}
    row = Execution.objects.filter(pk=execution.pk)
    queued = row.filter(unclaimed(at), state=Execution.State.QUEUED)
    # Nothing has been run, so it costs nothing.
    stopped = queued.update(
        state=Execution.State.STOPPED, finished_at=at, uses_quota=False, **requested, **released()
    )
    if stopped:
        enqueue_experiment(execution)
    elif not row.filter(state__in=Execution.IN_AIRLOCK).update(**requested):
        raise Refusal("execution-has-ended", "This execution has already ended.")


def end_stopped(*, at: datetime) -> int:
    """For the sweep: those that were stopped while no worker had them, and that none has taken up since.

    A worker that takes one up removes its container, which goes on if the worker before was lost.
    """
    stopped = Execution.objects.for_the_airlock().filter(stop_requested_at__lte=at - TIME_FOR_A_WORKER)
    return stopped.filter(unclaimed(at)).update(
        state=Execution.State.ENDED,
        finished_at=at,
        outcome=report.outcome_without_container(report.STOPPED, error_of=None, stopped=True),
        dispatched_at=None,
        **released(),
    )


def restart(*, execution: Execution, by: User, reason: str) -> Execution:
    """Another execution of the same version on the same data. It counts, unless the platform had failed."""
    reason = reasons.required(reason)
    at = clock.database_now()
    if not execution.is_final:
        raise Refusal("execution-under-way", "This execution is still under way. Please stop it first.")
    with transaction.atomic():
        team = Team.objects.select_for_update().get(pk=execution.team_id)
        again = create_execution(
            version=execution.version,
            phase=execution.phase,
            track=execution.track,
            team=team,
            instructions=instructions_for_restart(execution, team),
            requested_by=by,
            on_behalf=True,
            purpose=execution.purpose,
            repeats=execution.repeats,
            experiment=execution.experiment,
            part=execution.part,
            amends=execution.amends,
            declared_score=execution.declared_score,
            uses_quota=execution.state != Execution.State.FAILED,
            # In time if the first request was.
            requested_at=execution.requested_at if is_late(execution, team, at=at) else at,
        )
        write_audit_entry("restart-software", again, by, reason, at=at)
    return again


def instructions_for_restart(execution: Execution, team: Team) -> dict[str, Any]:
    """With the resources that the team has by now: it may have been granted more because the first failed."""
    if execution.purpose == Execution.Purpose.REPLICATION:
        return execution.instructions
    return execution.instructions | {"limits": as_json(limits_of(team))}


def is_late(execution: Execution, team: Team, *, at: datetime) -> bool:
    """Whether the phase has closed meanwhile; an experiment has no deadline."""
    return execution.phase is not None and not execution.phase.is_open(at=at, team=team)


def write_audit_entry(action: str, execution: Execution, by: User, reason: str, *, at: datetime) -> None:
    audit.write(
        task=execution.task,
        who=by,
        action=action,
        subject=execution,
        reason=reason,
        details={"execution": execution.public_id},
        at=at,
    )
