"""What a viewer may know about teams: the viewer's own team, names or pseudonyms, descriptions of systems.

In a task with pseudonyms, the name of a system reveals its team as much as the team's own name does. Both are
therefore shown or hidden together, by one row of the visibility table, and only here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from sharedtask.accounts.roles import Viewer, role_of, team_id_of
from sharedtask.competition.models import Task
from sharedtask.competition.task_access import results_published
from sharedtask.teams.models import System, Team
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import Facts, PhaseStage, Role, Switch, Thing


def team_of(viewer: Viewer, task: Task) -> Team | None:
    """The viewer's team: at most one per task. In a preview it is the team whose view is shown."""
    if not viewer.is_authenticated:
        return None
    preview_team: Team | None = getattr(viewer, "preview_team", None)
    if preview_team is not None:
        return preview_team if preview_team.task_id == task.pk else None
    team_id = team_id_of(viewer, task)
    team = Team.objects.filter(pk=team_id).first() if team_id is not None else None
    if team is not None:
        team.task = task
    return team


def facts_of_team_name(task: Task, *, at: datetime) -> Facts:
    return Facts(
        phase=PhaseStage.PUBLISHED if results_published(task, at=at) else PhaseStage.OPEN,
        pseudonyms=Switch.ON if task.pseudonymous else Switch.OFF,
    )


class NamedTeam(Protocol):
    """A team, or a row with the fields that its displayed name depends on."""

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
    """The names of teams and systems that a viewer may know in a task. Makes no queries."""

    role: Role
    own_team: Any
    """The id of the viewer's own team, if there is one."""
    facts: Facts

    def are_real_names_shown(self, team: NamedTeam) -> bool:
        """Whether the team and its systems appear under their real names. Baselines always do."""
        role = self.role
        if role == Role.MEMBER and self.own_team != team.pk:
            role = Role.OTHER_TEAM
        return team.is_baseline or allowed(Thing.TEAM_NAME, role, self.facts)

    def are_descriptions_shown(self, team: NamedTeam) -> bool:
        """Whether the viewer may see what the team says about its systems; never under a pseudonym."""
        is_published = self.facts.phase == PhaseStage.PUBLISHED
        is_known = is_published or self.role == Role.ORGANISER or self.own_team == team.pk
        return is_known and self.are_real_names_shown(team)

    def team(self, team: NamedTeam) -> str:
        if self.are_real_names_shown(team):
            return team.name
        return team.pseudonym or f"Team {team.public_id[:4]}"

    def system(self, system: NamedSystem, team: NamedTeam) -> str:
        """The public id distinguishes the systems of a team without revealing their names."""
        return system.name if self.are_real_names_shown(team) else f"System {system.public_id[:4]}"


def names(viewer: Viewer, task: Task, *, at: datetime) -> Names:
    own = team_id_of(viewer, task)
    return Names(role=role_of(viewer, task), own_team=own, facts=facts_of_team_name(task, at=at))


def may_see_description(viewer: Viewer, system: System, *, at: datetime) -> bool:
    """Descriptions are visible to the team and the organisers, and to all once results are published."""
    task = system.team.task
    role = role_of(viewer, task, system.team)
    return role in (Role.MEMBER, Role.ORGANISER) or results_published(task, at=at)
