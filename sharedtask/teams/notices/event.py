"""An event that people are notified of: its task, its recipients and its text, identified by `event`."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.teams.models import Notice


@dataclass(frozen=True, kw_only=True)
class NoticeEvent:
    task: Task
    kind: Notice.Kind
    event: str
    text: str
    path: str
    people: QuerySet[User]
