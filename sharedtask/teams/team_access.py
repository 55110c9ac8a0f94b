"""What a viewer may know of teams: the viewer's own, their names or pseudonyms, what they say of a system.

In a task with pseudonyms the name of a system gives its team away as well as the team's own does. Both are
therefore shown, or hidden, together: by one row of the table, and here alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from sharedtask.accounts.roles import Viewer, role_of, team_key_of
from sharedtask.competition.models import Task
from sharedtask.competition.task_access import results_published
from sharedtask.teams.models import System, Team
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import Facts, Moment, Role, Rule, Thing


def team_of(viewer: Viewer, task: Task) -> Team | None:
    """One person is in one team per task. In a rehearsal it is the team that the organiser looks through."""
    if not viewer.is_authenticated:
        return None
    rehearsed: Team | None = getattr(viewer, "rehearsed_team", None)
    if rehearsed is not None:
        return rehearsed if rehearsed.task_id == task.pk else None
    return Team.objects.filter(task=task, members=viewer.pk).first()


def facts_of_team_name(task: Task, *, at: datetime) -> Facts:
    return Facts(
        phase=Moment.PUBLISHED if results_published(task, at=at) else Moment.OPEN,
        pseudonyms=Rule.ON if task.pseudonymous else Rule.OFF,
    )


class NamedTeam(Protocol):
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


class NamedSystem(Protocol):
    @property
    def public_id(self) -> str: ...
    @property
    def name(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class Names:
    """The names in one task that one viewer may know; asking for them asks no database."""

    role: Role
    own_team: Any
    """The key of the viewer's own team, if there is one."""
    situation: Facts

    def are_known(self, team: NamedTeam) -> bool:
        """Whether the team and its systems go by their own names. A baseline is never under a pseudonym."""
        role = self.role
        if role == Role.MEMBER and self.own_team != team.pk:
            role = Role.RIVAL
        return team.is_baseline or allowed(Thing.TEAM_NAME, role, self.situation)

    def team(self, team: NamedTeam) -> str:
        if self.are_known(team):
            return team.name
        return team.pseudonym or f"Team {team.public_id[:4]}"

    def system(self, system: NamedSystem, team: NamedTeam) -> str:
        """A team with several systems needs a word to tell them apart: its public id is no secret."""
        return system.name if self.are_known(team) else f"System {system.public_id[:4]}"


def names(viewer: Viewer, task: Task, *, at: datetime) -> Names:
    own = team_key_of(viewer, task)
    return Names(role=role_of(viewer, task), own_team=own, situation=facts_of_team_name(task, at=at))


def team_names(viewer: Viewer, task: Task, *, at: datetime) -> Callable[[NamedTeam], str]:
    """A function from teams of the task to the names they have for this viewer."""
    return names(viewer, task, at=at).team


def system_description(viewer: Viewer, system: System, *, at: datetime) -> bool:
    """What a team says of its system: its own and the organisers' until the results are published."""
    task = system.team.task
    role = role_of(viewer, task, system.team)
    return role in (Role.MEMBER, Role.ORGANISER) or results_published(task, at=at)
