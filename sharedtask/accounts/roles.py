"""The role of a viewer in relation to a task or a team; `visibility` decides what a role may see.

In: an account or an anonymous user, and a task or team. Out: a `Role`. Organised tasks and teams are reached
through relations, so that no higher package is imported here. In a preview, the viewer is a stand-in with the
attributes `preview_task` and `preview_team`. A user who is known by a token without the scope `organise` has
the attribute `acts_as_participant`, and organises nothing. The user of a request that only reads has the
attribute `affiliations`, so that a page looks them up once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Protocol, TypeGuard

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse

from sharedtask.accounts.models import User
from sharedtask.visibility.terms import Role

Viewer = User | AnonymousUser


class HasKey(Protocol):
    @property
    def pk(self) -> Any: ...


class Affiliations:
    """The tasks that a user organises and the teams that the user is in, each looked up when first needed."""

    def __init__(self, user: User) -> None:
        self._user = user

    @cached_property
    def organised(self) -> frozenset[int]:
        """Keys of tasks."""
        return frozenset(self._user.organised_tasks.order_by().values_list("pk", flat=True))

    @cached_property
    def teams(self) -> Mapping[int, int]:
        """Keys of teams by that of the task: a person is in at most one team per task."""
        return dict(self._user.memberships.values_list("task_id", "team_id"))


def affiliations_of(user: User) -> Affiliations:
    known: Affiliations | None = getattr(user, "affiliations", None)
    return known or Affiliations(user)


def affiliations_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Other requests may change what a user organises or belongs to, so they look it up each time."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.method in ("GET", "HEAD") and request.user.is_authenticated:
            request.user.affiliations = Affiliations(request.user)  # type: ignore[attr-defined]
        return get_response(request)

    return middleware


def may_organise(viewer: Viewer) -> TypeGuard[User]:
    """Whether it is worth asking which tasks the viewer organises."""
    return viewer.is_authenticated and not getattr(viewer, "acts_as_participant", False)


def is_administrator(viewer: Viewer) -> bool:
    return may_organise(viewer) and viewer.is_superuser


def organises(viewer: Viewer, task: HasKey) -> bool:
    if not may_organise(viewer):
        return False
    return viewer.is_superuser or task.pk in affiliations_of(viewer).organised


def can_create_tasks(viewer: Viewer) -> bool:
    """Administrators and organisers of any task can; nobody can in a preview, which is read-only."""
    if not may_organise(viewer) or getattr(viewer, "preview_task", None):
        return False
    return viewer.is_superuser or bool(affiliations_of(viewer).organised)


def team_id_of(viewer: Viewer, task: HasKey) -> Any:
    """The id of the viewer's team in a task, or None."""
    if not viewer.is_authenticated:
        return None
    preview_team = getattr(viewer, "preview_team", None)
    if preview_team is not None:
        return preview_team.pk if preview_team.task_id == task.pk else None
    return affiliations_of(viewer).teams.get(task.pk)


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
