"""Write an announcement: everybody can read it, and the members of all teams are told."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.competition.models import Announcement, Task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal

LONGEST_SUBJECT = 150
LONGEST_TEXT = 20_000
EMPTY = "An announcement needs a subject and a text."


def announce(
    *, task: Task, by: User | None, subject: str, text: str, at: datetime | None = None
) -> Announcement:
    subject, text = " ".join(subject.split()), text.strip()
    if not subject or not text:
        raise Refusal("announcement-empty", EMPTY)
    if len(subject) > LONGEST_SUBJECT or len(text) > LONGEST_TEXT:
        raise Refusal("announcement-too-long", f"At most {LONGEST_SUBJECT} letters and {LONGEST_TEXT}.")
    with transaction.atomic():
        at = at or clock.database_now()
        announcement = Announcement.objects.create(task=task, by=by, subject=subject, text=text, at=at)
        audit.write(task=task, who=by, action="announce", subject=subject, at=at)
    return announcement
