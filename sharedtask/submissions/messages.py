"""Messages about runs that may depend on gold: a worker writes one, an organiser reads it and may release it.

In: the text as it came; later the text as the team may read it. Out: `Message` rows. The original stays the
organisers' for ever; the team reads only what an organiser wrote into `released`.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.submissions import notify
from sharedtask.submissions.models import Message, Run

LONGEST = 20_000


def write(*, run: Run, text: str, at: datetime | None = None) -> Message:
    """The same text about the same run is kept once, however often a worker comes to it."""
    with transaction.atomic():
        # The run's lock, so that two workers do not both find nothing.
        Run.objects.select_for_update().get(pk=run.pk)
        known = Message.objects.filter(run=run, original=text[:LONGEST]).first()
        if known is not None:
            return known
        at = at or clock.database_now()
        return Message.objects.create(run=run, original=text[:LONGEST], created_at=at)


def release(*, message: Message, text: str, by: User, reason: str, at: datetime | None = None) -> None:
    """What was released has been read, and so is never changed: a correction is another message."""
    at = at or clock.database_now()
    text, reason = text.strip(), reasons.required(reason)
    if not text:
        raise Refusal("message-empty", "There is nothing left to release.", expected="a text")
    with transaction.atomic():
        released = Message.objects.filter(pk=message.pk, released_at=None).update(
            released=text[:LONGEST], released_at=at, released_by=by
        )
        if not released:
            raise Refusal("message-released-already", "This message was released before.")
        audit.write(
            task=message.run.task,
            who=by,
            action="release-message",
            subject=message,
            reason=reason,
            details={"message": message.public_id, "run": message.run.public_id, "released": text[:LONGEST]},
            at=at,
        )
        notify.tell_released(message, at=at)
