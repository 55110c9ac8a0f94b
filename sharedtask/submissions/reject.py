"""Organisers reject a run, withdraw it on the team's behalf, or restore it; the team sees the reason."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.submissions import notify
from sharedtask.submissions.models import Run
from sharedtask.submissions.official import has_closed

DECISIONS = {
    Run.Status.REJECTED: "rejected",
    Run.Status.WITHDRAWN: "withdrawn",
    Run.Status.COUNTS: "restored",
}


def reject(*, run: Run, by: User, reason: str, at: datetime | None = None) -> None:
    change_status(run, by=by, reason=reason, at=at, status=Run.Status.REJECTED, action="reject-run")


def withdraw_for_team(*, run: Run, by: User, reason: str, at: datetime | None = None) -> None:
    """For a team that asked the organisers to withdraw its run."""
    change_status(
        run, by=by, reason=reason, at=at, status=Run.Status.WITHDRAWN, action="withdraw-run-for-team"
    )


def restore(*, run: Run, by: User, reason: str, at: datetime | None = None) -> None:
    """The run counts again, with its scores and its time of receipt unchanged."""
    change_status(run, by=by, reason=reason, at=at, status=Run.Status.COUNTS, action="restore-run")


def change_status(
    run: Run, *, by: User, reason: str, at: datetime | None, status: Run.Status, action: str
) -> None:
    at = at or clock.database_now()
    reason = reasons.required(reason)
    with transaction.atomic():
        before = Run.objects.select_for_update().get(pk=run.pk)
        if before.status == status:
            raise Refusal("nothing-to-change", f"The status of this run is already “{status.value}”.")
        Run.objects.filter(pk=run.pk).update(
            status=status,
            status_reason="" if status == Run.Status.COUNTS else reason,
            withdrawn_after_closing=is_withdrawn_late(before, status, at=at),
        )
        audit.write(
            task=run.task,
            who=by,
            action=action,
            subject=run,
            reason=reason,
            details={"run": run.public_id, "before": before.status, "after": status.value},
            at=at,
        )
        request_standings(run.phase_id, at=at)
        notify.send_decision_notice(run, DECISIONS[status], at=at)


def is_withdrawn_late(before: Run, status: Run.Status, *, at: datetime) -> bool:
    """Rejecting a withdrawn run keeps the flag, so that no other run becomes official through it."""
    if status == Run.Status.WITHDRAWN:
        return has_closed(before.phase, before.team, at=at)
    return status != Run.Status.COUNTS and before.withdrawn_after_closing
