"""Something that can be told: of which task, to whom, in which words. The same fact has the same `event`."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.teams.models import Notice


@dataclass(frozen=True, kw_only=True)
class Fact:
    task: Task
    kind: Notice.Kind
    event: str
    text: str
    path: str
    people: QuerySet[User]
