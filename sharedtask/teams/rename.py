"""How a team changes its name and its affiliation.

The name is part of published results, so it is fixed with the first publication; organisers are notified
of every new name, because they confirmed the team under the old one.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.urls import reverse

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.competition.task_access import results_published
from sharedtask.core.errors import Refusal
from sharedtask.teams.models import Notice, Team
from sharedtask.teams.names import clean_name
from sharedtask.teams.notices.send import organisers_of, send_notices
from sharedtask.teams.register import refuse_taken_names


def rename(*, team: Team, by: User, at: datetime, name: str, affiliation: str) -> Team:
    name, affiliation = clean_name(name), clean_name(affiliation)
    with transaction.atomic():
        # The lock serialises this with registrations, which compare names as well.
        task = Task.objects.select_for_update().get(pk=team.task_id)
        old = Team.objects.get(pk=team.pk).name
        if name != old:
            refuse_new_name(task, team, name, at=at)
        Team.objects.filter(pk=team.pk).update(name=name, affiliation=affiliation)
        if name != old:
            notify_organisers(team, old, name, at=at)
    team.name, team.affiliation = name, affiliation
    return team


def refuse_new_name(task: Task, team: Team, name: str, *, at: datetime) -> None:
    if results_published(task, at=at):
        raise Refusal(
            "team-name-is-published",
            "The results are published under your team's name, so it can no longer be changed here. Please "
            "write to the organisers.",
            found=name,
        )
    refuse_taken_names(task, name, "", except_for=team)


def notify_organisers(team: Team, old: str, name: str, *, at: datetime) -> None:
    send_notices(
        people=organisers_of(team.task),
        task=team.task,
        kind=Notice.Kind.REGISTRATION,
        event=f"team-renamed:{team.public_id}:{at.isoformat()}",
        text=f"The team {old} is now called {name}.",
        path=reverse("registrations", args=[team.task.slug]),
        at=at,
    )
