"""Which role somebody has towards a task or a team; what a role may see is decided by `visibility`.

In: an account, or nobody's, and a task or team. Out: a `Role`. An account knows the tasks it organises and
the teams it belongs to through their relations, so that nothing above this package is imported here. In a
rehearsal the account is a stand-in that carries the task and the team it stands for.
"""

from __future__ import annotations

from typing import Any, Protocol

from django.contrib.auth.models import AnonymousUser

from sharedtask.accounts.models import User
from sharedtask.visibility.terms import Role

Viewer = User | AnonymousUser


class HasKey(Protocol):
    @property
    def pk(self) -> Any: ...


def organises(viewer: Viewer, task: HasKey) -> bool:
    if not viewer.is_authenticated:
        return False
    return viewer.is_superuser or viewer.organised_tasks.filter(pk=task.pk).exists()


def begins_tasks(viewer: Viewer) -> bool:
    """Administrators, and whoever organises a task already; nobody in a rehearsal, which changes nothing."""
    if not viewer.is_authenticated or getattr(viewer, "rehearsed_task", None):
        return False
    return viewer.is_superuser or viewer.organised_tasks.exists()


def team_key_of(viewer: Viewer, task: HasKey) -> Any:
    """The key of the viewer's team in a task: one person is in one team per task. None without a team."""
    if not viewer.is_authenticated:
        return None
    rehearsed = getattr(viewer, "rehearsed_team", None)
    if rehearsed is not None:
        return rehearsed.pk if rehearsed.task_id == task.pk else None
    return viewer.memberships.filter(task_id=task.pk).values_list("team_id", flat=True).first()


def role_of(viewer: Viewer, task: HasKey, team: HasKey | None = None) -> Role:
    """Towards a team and what is its own; without a team, towards the task as a whole."""
    if not viewer.is_authenticated:
        return Role.VISITOR
    if organises(viewer, task):
        return Role.ORGANISER
    own = team_key_of(viewer, task)
    if own is None:
        return Role.STRANGER
    return Role.MEMBER if team is None or own == team.pk else Role.RIVAL


def is_elsewhere(viewer: Viewer, task: HasKey) -> bool:
    """Whether a rehearsal, with its moved clock, is about another task than this one."""
    rehearsed = getattr(viewer, "rehearsed_task", None)
    return rehearsed is not None and rehearsed.pk != task.pk
