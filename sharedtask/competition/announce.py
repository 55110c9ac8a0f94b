"""Publish an announcement: it is public, and the members of all teams are notified."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.competition.models import Announcement, Task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal

MAX_SUBJECT_LENGTH = 150
MAX_TEXT_LENGTH = 20_000
EMPTY = "An announcement needs a subject and a text."


def announce(
    *, task: Task, by: User | None, subject: str, text: str, at: datetime | None = None
) -> Announcement:
    subject, text = " ".join(subject.split()), text.strip()
    if not subject or not text:
        raise Refusal("announcement-empty", EMPTY)
    if len(subject) > MAX_SUBJECT_LENGTH or len(text) > MAX_TEXT_LENGTH:
        raise Refusal(
            "announcement-too-long",
            f"The subject can have at most {MAX_SUBJECT_LENGTH} characters, the text {MAX_TEXT_LENGTH}.",
        )
    with transaction.atomic():
        at = at or clock.database_now()
        announcement = Announcement.objects.create(task=task, by=by, subject=subject, text=text, at=at)
        audit.write(task=task, who=by, action="announce", subject=subject, at=at)
    return announcement
