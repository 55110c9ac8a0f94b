"""Messages about runs that may depend on gold: a worker writes one, an organiser reads it and may release it.

In: the original text; later the text for the team. Out: `Message` rows. The original is visible to organisers
only, permanently; the team sees only what an organiser wrote into `released`.
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

MAX_CHARACTERS = 20_000


def write(*, run: Run, text: str, at: datetime | None = None) -> Message:
    """The same text about the same run is stored only once, however often a worker writes it."""
    with transaction.atomic():
        # Lock the run, so that two workers cannot both find no such message.
        Run.objects.select_for_update().get(pk=run.pk)
        existing = Message.objects.filter(run=run, original=text[:MAX_CHARACTERS]).first()
        if existing is not None:
            return existing
        at = at or clock.database_now()
        return Message.objects.create(run=run, original=text[:MAX_CHARACTERS], created_at=at)


def release(*, message: Message, text: str, by: User, reason: str, at: datetime | None = None) -> None:
    """A released message may have been read, so it is never changed: a correction is another message."""
    at = at or clock.database_now()
    text, reason = text.strip(), reasons.required(reason)
    if not text:
        raise Refusal("message-empty", "The message is empty.", expected="a text")
    with transaction.atomic():
        released = Message.objects.filter(pk=message.pk, released_at=None).update(
            released=text[:MAX_CHARACTERS], released_at=at, released_by=by
        )
        if not released:
            raise Refusal("message-already-released", "This message has already been released.")
        audit.write(
            task=message.run.task,
            who=by,
            action="release-message",
            subject=message,
            reason=reason,
            details={
                "message": message.public_id,
                "run": message.run.public_id,
                "released": text[:MAX_CHARACTERS],
            },
            at=at,
        )
        notify.send_message_notice(message, at=at)
