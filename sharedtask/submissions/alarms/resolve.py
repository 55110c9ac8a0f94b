"""Organisers act on an alarm: notify the team in their own words, or resolve it, with a reason."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.submissions import messages
from sharedtask.submissions.models import Alarm, Message


def notify_team(*, alarm: Alarm, text: str, by: User, reason: str, at: datetime | None = None) -> Message:
    """The team gets the organiser's text as a message; the text of the alarm stays with the organisers."""
    at = at or clock.database_now()
    reason = reasons.required(reason)
    with transaction.atomic():
        notified = Alarm.objects.filter(pk=alarm.pk, team_notified_at=None).update(team_notified_at=at)
        if not notified:
            raise Refusal("alarm-already-notified", "The team has already been notified of this alarm.")
        message = Message.objects.create(run=alarm.run, original=alarm.text, created_at=at)
        messages.release(message=message, text=text, by=by, reason=reason, at=at)
        write_audit_entry(alarm, by, "notify-team-of-alarm", reason, at)
    return message


def resolve(*, alarm: Alarm, by: User, reason: str, at: datetime | None = None) -> None:
    at = at or clock.database_now()
    reason = reasons.required(reason)
    with transaction.atomic():
        if not Alarm.objects.filter(pk=alarm.pk, resolved_at=None).update(resolved_at=at):
            raise Refusal("alarm-already-resolved", "This alarm has already been resolved.")
        write_audit_entry(alarm, by, "resolve-alarm", reason, at)


def resolve_shared(*, alarm: Alarm, by: User, reason: str, at: datetime | None = None) -> None:
    """With all open alarms about the same test set in the same phase, each with an entry in the audit log."""
    at = at or clock.database_now()
    if alarm.file is None:
        resolve(alarm=alarm, by=by, reason=reason, at=at)
        return
    with transaction.atomic():
        about_set = Alarm.objects.filter(
            kind=alarm.kind,
            run__phase=alarm.run.phase_id,
            file__test_set=alarm.file.test_set_id,
            resolved_at=None,
        )
        shared = list(about_set.select_for_update(of=("self",)).select_related("run__task").order_by("pk"))
        if not shared:
            raise Refusal("alarm-already-resolved", "This alarm has already been resolved.")
        for each in shared:
            resolve(alarm=each, by=by, reason=reason, at=at)


def write_audit_entry(alarm: Alarm, by: User, action: str, reason: str, at: datetime) -> None:
    audit.write(
        task=alarm.run.task,
        who=by,
        action=action,
        subject=alarm,
        reason=reason,
        details={"alarm": alarm.public_id, "run": alarm.run.public_id, "kind": alarm.kind},
        at=at,
    )
