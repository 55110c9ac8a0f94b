"""What organisers do about an alarm: tell the team in their own words, or put it aside; with a reason."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.submissions import messages
from sharedtask.submissions.models import Alarm, Message


def tell_team(*, alarm: Alarm, text: str, by: User, reason: str, at: datetime | None = None) -> Message:
    """The team reads the organiser's words as a message; the alarm's own text stays with the organisers."""
    at = at or clock.database_now()
    reason = reasons.required(reason)
    with transaction.atomic():
        told = Alarm.objects.filter(pk=alarm.pk, told_team_at=None).update(told_team_at=at)
        if not told:
            raise Refusal("alarm-told-already", "The team was told of this alarm before.")
        message = Message.objects.create(run=alarm.run, original=alarm.text, created_at=at)
        messages.release(message=message, text=text, by=by, reason=reason, at=at)
        write(alarm, by, "tell-alarm", reason, at)
    return message


def settle(*, alarm: Alarm, by: User, reason: str, at: datetime | None = None) -> None:
    at = at or clock.database_now()
    reason = reasons.required(reason)
    with transaction.atomic():
        if not Alarm.objects.filter(pk=alarm.pk, settled_at=None).update(settled_at=at):
            raise Refusal("alarm-settled-already", "This alarm was settled before.")
        write(alarm, by, "settle-alarm", reason, at)


def write(alarm: Alarm, by: User, action: str, reason: str, at: datetime) -> None:
    audit.write(
        task=alarm.run.task,
        who=by,
        action=action,
        subject=alarm,
        reason=reason,
        details={"alarm": alarm.public_id, "run": alarm.run.public_id, "kind": alarm.kind},
        at=at,
    )
