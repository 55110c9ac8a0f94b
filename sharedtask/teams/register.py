"""Register a team for a task: the team, its primary system, and the people in it, all or nothing."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction

from sharedtask.competition.models import Task
from sharedtask.teams.models import Membership, System, Team


def register(
    *,
    task: Task,
    name: str,
    members: Iterable[User] = (),
    system: str = "main",
    is_baseline: bool = False,
    confirmed: bool = False,
) -> Team:
    """`confirmed` is for teams that organisers enter themselves; all others wait for an organiser."""
    with transaction.atomic():
        team = Team.objects.create(
            task=task,
            name=name,
            is_baseline=is_baseline,
            registration=Team.Registration.CONFIRMED if confirmed else Team.Registration.REQUESTED,
            rules_version=task.rules_version if confirmed else 0,
        )
        System.objects.create(team=team, name=system, is_primary=True)
        for user in members:
            Membership.objects.create(user=user, team=team, task=task)
    return team
