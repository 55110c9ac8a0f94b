"""What a viewer may know of teams: the viewer's own, their names or pseudonyms, what they say of a system."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol

from sharedtask.accounts.roles import Viewer, role_of, team_key_of
from sharedtask.competition.models import Task
from sharedtask.competition.task_access import results_published
from sharedtask.teams.models import System, Team
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import Facts, Moment, Role, Rule, Thing


def team_of(viewer: Viewer, task: Task) -> Team | None:
    """One person is in one team of a task. In a rehearsal it is the team that the organiser looks through."""
    key = team_key_of(viewer, task)
    return None if key is None else Team.objects.filter(pk=key).first()


def facts_of_team_name(task: Task, *, at: datetime) -> Facts:
    return Facts(
        phase=Moment.PUBLISHED if results_published(task, at=at) else Moment.OPEN,
        pseudonyms=Rule.ON if task.pseudonymous else Rule.OFF,
    )


class Named(Protocol):
    """A team, or a row with what its name depends on."""

    @property
    def pk(self) -> Any: ...
    @property
    def public_id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def pseudonym(self) -> str: ...
    @property
    def is_baseline(self) -> bool: ...


def team_names(viewer: Viewer, task: Task, *, at: datetime) -> Callable[[Named], str]:
    """A function from teams of the task to the names they have for this viewer; it asks no database."""
    told = facts_of_team_name(task, at=at)
    role, own = role_of(viewer, task), team_of(viewer, task)

    def name(team: Named) -> str:
        towards = role
        if role == Role.MEMBER and (own is None or own.pk != team.pk):
            towards = Role.RIVAL
        if team.is_baseline or allowed(Thing.TEAM_NAME, towards, told):
            return team.name
        return team.pseudonym or f"Team {team.public_id[:4]}"

    return name


def system_description(viewer: Viewer, system: System, *, at: datetime) -> bool:
    """What a team says of its system: its own and the organisers' until the results are published."""
    task = system.team.task
    role = role_of(viewer, task, system.team)
    return role in (Role.MEMBER, Role.ORGANISER) or results_published(task, at=at)
