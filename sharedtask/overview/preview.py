"""Preview: an organiser sees the pages of a task as another viewer will see them at a given time.

In: a request of an organiser whose session contains a preview. Out: the page, rendered for a stand-in user
with the clock set to that time. A preview is read-only: only GET and HEAD requests are accepted, and the
database connection refuses every statement that writes; a previewed publication is rolled back
(`preview_publication.py`). Only pages of the previewed task are shown, because the organiser of one task
must not see the future of another.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from sharedtask.accounts.models import User
from sharedtask.accounts.roles import organises
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.overview.preview_publication import preview_publication
from sharedtask.teams.models import Team

SESSION_KEY = "preview"
VISITOR, STRANGER = "visitor", "stranger"
"""Any other viewer is a team, given by its public id."""
VIEWER_LABELS = {VISITOR: "a visitor", STRANGER: "a signed-in user without a team"}

BEGIN, END = "preview-begin", "preview-end"
PAGES_WITHOUT_SLUG = frozenset({"home", "run", "run-state", "run-lines", "run-output"})
"""Pages that check the visibility of their task themselves; all others have the slug in their URL."""
READING = ("SELECT", "WITH", "SAVEPOINT", "RELEASE", "ROLLBACK")
NOBODY = -1


class WriteAttempted(Exception):
    """A page tried to write to the database in a preview."""


@dataclass(frozen=True, kw_only=True)
class Preview:
    task: Task
    team: Team | None
    signed_in: bool
    at: datetime
    published: bool = False
    """As if the results had just been published."""

    @property
    def viewer_label(self) -> str:
        if self.team is not None:
            return member_label(self.team)
        return VIEWER_LABELS[STRANGER if self.signed_in else VISITOR]

    def stand_in(self) -> User | AnonymousUser:
        """A user without an account: queries for own rows find nothing. `roles` reads the attributes."""
        viewer = User(pk=NOBODY, username=self.viewer_label) if self.signed_in else AnonymousUser()
        viewer.preview_task = self.task  # type: ignore[union-attr]
        viewer.preview_team = self.team  # type: ignore[union-attr]
        return viewer


def member_label(team: Team) -> str:
    return f"a member of {team.name}"


def begin(
    request: HttpRequest, *, task: Task, by: User, view_as: str, at: datetime, published: bool = False
) -> None:
    """`view_as` is visitor, stranger, or the public id of a team of the task."""
    if view_as not in (VISITOR, STRANGER) and not task.teams.filter(public_id=view_as).exists():
        raise ValueError("there is no such team in this task")
    request.session[SESSION_KEY] = {
        "task": task.slug,
        "view_as": view_as,
        "at": at.isoformat(),
        "published": published,
    }


def end(request: HttpRequest) -> None:
    request.session.pop(SESSION_KEY, None)


def current_preview(request: HttpRequest) -> Preview | None:
    """The preview in the session, if its user still organises the task."""
    stored = request.session.get(SESSION_KEY)
    if not stored:
        return None
    task = Task.objects.filter(slug=stored["task"]).first()
    if task is None or not organises(request.user, task):
        return None
    view_as = stored["view_as"]
    team = None if view_as in (VISITOR, STRANGER) else task.teams.filter(public_id=view_as).first()
    if team is None and view_as not in (VISITOR, STRANGER):
        return None
    at = datetime.fromisoformat(stored["at"])
    signed_in, published = view_as != VISITOR, bool(stored.get("published"))
    return Preview(task=task, team=team, signed_in=signed_in, at=at, published=published)


def refuse_to_write(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    if not sql.lstrip("( \n").upper().startswith(READING):
        raise WriteAttempted(sql.split(maxsplit=1)[0])
    return execute(sql, params, many, context)


class PreviewMiddleware:
    """The last middleware, so that all others still check the organiser and not the stand-in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # Other sessions are not touched, so that their responses need no query.
        preview = current_preview(request) if SESSION_KEY in request.session else None
        request.preview = preview  # type: ignore[attr-defined]
        if preview is None:
            return self.get_response(request)
        request.organiser = request.user  # type: ignore[attr-defined]
        request.user = preview.stand_in()
        response = self.get_response(request)
        # A page rendered for a stand-in must not be cached.
        response["Cache-Control"] = "no-store"
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: Any, kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        preview: Preview | None = getattr(request, "preview", None)
        match = request.resolver_match
        if preview is None or match is None:
            return None
        if match.url_name in (BEGIN, END):
            request.user = request.organiser  # type: ignore[attr-defined]
            return None
        if request.method not in ("GET", "HEAD"):
            return render(request, "overview/preview_refused.html", {"why": "write"}, status=409)
        here = kwargs.get("slug") == preview.task.slug or (
            match.url_name in PAGES_WITHOUT_SLUG and not match.namespace
        )
        if not here:
            return render(request, "overview/preview_refused.html", {"why": "elsewhere"}, status=409)
        published = preview_publication(preview.task, at=preview.at) if preview.published else nullcontext()
        with clock.stopped_at(preview.at), published, connection.execute_wrapper(refuse_to_write):
            try:
                response = view(request, *args, **kwargs)
                if hasattr(response, "render"):
                    response = response.render()
            except WriteAttempted:
                return render(request, "overview/preview_refused.html", {"why": "write"}, status=409)
        return response
