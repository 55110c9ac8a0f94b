"""The role of a viewer in relation to a task or a team; `visibility` decides what a role may see.

In: an account or an anonymous user, and a task or team. Out: a `Role`. Organised tasks and teams are reached
through relations, so that no higher package is imported here. In a preview, the viewer is a stand-in with the
attributes `preview_task` and `preview_team`. A user who is known by a token without the scope `organise` has
the attribute `acts_as_participant`, and organises nothing.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeGuard

from django.contrib.auth.models import AnonymousUser

from sharedtask.accounts.models import User
from sharedtask.visibility.terms import Role

Viewer = User | AnonymousUser


class HasKey(Protocol):
    @property
    def pk(self) -> Any: ...


def may_organise(viewer: Viewer) -> TypeGuard[User]:
    """Whether it is worth asking which tasks the viewer organises."""
    return viewer.is_authenticated and not getattr(viewer, "acts_as_participant", False)


def is_administrator(viewer: Viewer) -> bool:
    return may_organise(viewer) and viewer.is_superuser


def organises(viewer: Viewer, task: HasKey) -> bool:
    if not may_organise(viewer):
        return False
    return viewer.is_superuser or viewer.organised_tasks.filter(pk=task.pk).exists()


def can_create_tasks(viewer: Viewer) -> bool:
    """Administrators and organisers of any task can; nobody can in a preview, which is read-only."""
    if not may_organise(viewer) or getattr(viewer, "preview_task", None):
        return False
    return viewer.is_superuser or viewer.organised_tasks.exists()


def team_id_of(viewer: Viewer, task: HasKey) -> Any:
    """The id of the viewer's team in a task, or None. A person is in at most one team per task."""
    if not viewer.is_authenticated:
        return None
    preview_team = getattr(viewer, "preview_team", None)
    if preview_team is not None:
        return preview_team.pk if preview_team.task_id == task.pk else None
    return viewer.memberships.filter(task_id=task.pk).values_list("team_id", flat=True).first()


def role_of(viewer: Viewer, task: HasKey, team: HasKey | None = None) -> Role:
    """In relation to a team and its data, or, without a team, to the task as a whole."""
    if not viewer.is_authenticated:
        return Role.VISITOR
    if organises(viewer, task):
        return Role.ORGANISER
    own_team_id = team_id_of(viewer, task)
    if own_team_id is None:
        return Role.NO_TEAM
    return Role.MEMBER if team is None or own_team_id == team.pk else Role.OTHER_TEAM


def previews_another_task(viewer: Viewer, task: HasKey) -> bool:
    """Whether this is a preview of another task, whose shifted time does not apply to this one."""
    preview_task = getattr(viewer, "preview_task", None)
    return preview_task is not None and preview_task.pk != task.pk
