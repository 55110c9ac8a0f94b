"""Organisers reject a run, withdraw it for its team, or bring it back; the team reads the reason."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.submissions import notify
from sharedtask.submissions.models import Run
from sharedtask.submissions.official import has_closed
from sharedtask.submissions.restate import restate

TOLD = {
    Run.Fate.REJECTED: "rejected",
    Run.Fate.WITHDRAWN: "withdrawn",
    Run.Fate.COUNTS: "brought back",
}


def reject(*, run: Run, by: User, reason: str, at: datetime | None = None) -> None:
    change(run, by=by, reason=reason, at=at, fate=Run.Fate.REJECTED, action="reject-run")


def withdraw_for_team(*, run: Run, by: User, reason: str, at: datetime | None = None) -> None:
    """What the team could do itself, done for a team that asked for it."""
    change(run, by=by, reason=reason, at=at, fate=Run.Fate.WITHDRAWN, action="withdraw-run-for-team")


def restore(*, run: Run, by: User, reason: str, at: datetime | None = None) -> None:
    """It counts again, with the scores it had and at the time it was received."""
    change(run, by=by, reason=reason, at=at, fate=Run.Fate.COUNTS, action="restore-run")


def change(run: Run, *, by: User, reason: str, at: datetime | None, fate: Run.Fate, action: str) -> None:
    at = at or clock.database_now()
    reason = reasons.required(reason)
    with transaction.atomic():
        before = Run.objects.select_for_update().get(pk=run.pk)
        if before.fate == fate:
            raise Refusal("nothing-to-change", f"The run is in this state already: {fate.label.lower()}.")
        kept = "" if fate == Run.Fate.COUNTS else reason
        Run.objects.filter(pk=run.pk).update(
            fate=fate, fate_reason=kept, withdrawn_after_closing=was_withdrawn_late(before, fate, at=at)
        )
        audit.write(
            task=run.task,
            who=by,
            action=action,
            subject=run,
            reason=reason,
            details={"run": run.public_id, "before": before.fate, "after": fate.value},
            at=at,
        )
        restate(run.phase, at=at)
        notify.tell_decided(run, TOLD[fate], at=at)


def was_withdrawn_late(before: Run, fate: Run.Fate, *, at: datetime) -> bool:
    """To reject a run that was withdrawn does not undo that: no other run becomes official by it."""
    if fate == Run.Fate.WITHDRAWN:
        return has_closed(before.phase, before.team, at=at)
    return fate != Run.Fate.COUNTS and before.withdrawn_after_closing
