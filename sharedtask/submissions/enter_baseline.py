"""Organisers add a baseline: a team marked as such, for which they upload runs."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.teams.models import Team
from sharedtask.teams.names import clean_name
from sharedtask.teams.register import register


def enter_baseline(*, task: Task, name: str, by: User, reason: str, at: datetime | None = None) -> Team:
    name, reason = clean_name(name), reasons.required(reason)
    if not name or len(name) > 80:
        raise Refusal("invalid-baseline-name", "Please give the baseline a name of at most 80 characters.")
    with transaction.atomic():
        if Team.objects.filter(task=task, name=name).exists():
            raise Refusal("baseline-name-taken", f"A team named {name} already exists.")
        team = register(task=task, name=name, is_baseline=True, confirmed=True)
        audit.write(
            task=task,
            who=by,
            action="enter-baseline",
            subject=team,
            reason=reason,
            details={"team": team.public_id},
            at=at or clock.database_now(),
        )
    return team
