"""Rehearsal: an organiser sees the pages of a task as somebody else will see them at a given moment.

In: a request of an organiser whose session says what is rehearsed. Out: the page, made for a stand-in
instead of the organiser, with the clock stopped at the moment. Nothing can be changed meanwhile: only
reading requests are taken, and the database connection refuses whatever is no SELECT; a publication that is
rehearsed as well is rolled back with the request (`pretence.py`). Only pages of the
rehearsed task are shown, for the organiser of one task has no business in the future of another.
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
from sharedtask.overview.as_if_published import as_if_published
from sharedtask.teams.models import Team

SESSION_KEY = "rehearsal"
VISITOR, STRANGER = "visitor", "stranger"
"""Besides these, a rehearsal is seen through the eyes of a team, named by its public id."""

BEGIN, END = "rehearsal-begin", "rehearsal-end"
WITHOUT_TASK_IN_THEIR_ADDRESS = frozenset({"home", "run", "run-state", "run-lines", "run-output"})
"""Pages that ask `visibility` about the task themselves; all others name it in their address."""
READING = ("SELECT", "WITH", "SAVEPOINT", "RELEASE", "ROLLBACK")
NOBODY = -1


class WouldWrite(Exception):
    """A page tried to write to the database in a rehearsal."""


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    task: Task
    team: Team | None
    signed_in: bool
    at: datetime
    published: bool = False
    """As if the results had just been published."""

    @property
    def eyes(self) -> str:
        if self.team is not None:
            return f"a member of {self.team.name}"
        return "somebody who is signed in and in no team" if self.signed_in else "a visitor"

    def stand_in(self) -> User | AnonymousUser:
        """Nobody's account: a query for what is its own finds nothing. Only `visibility` knows more."""
        viewer = User(pk=NOBODY, username=self.eyes) if self.signed_in else AnonymousUser()
        viewer.preview_task = self.task  # type: ignore[union-attr]
        viewer.preview_team = self.team  # type: ignore[union-attr]
        return viewer


def begin(request: HttpRequest, *, task: Task, eyes: str, at: datetime, published: bool = False) -> None:
    """`eyes` is visitor, stranger, or the public id of a team of the task."""
    if eyes not in (VISITOR, STRANGER) and not task.teams.filter(public_id=eyes).exists():
        raise ValueError("there is no such team in this task")
    told = {"task": task.slug, "eyes": eyes, "at": at.isoformat(), "published": published}
    request.session[SESSION_KEY] = told


def end(request: HttpRequest) -> None:
    request.session.pop(SESSION_KEY, None)


def of(request: HttpRequest) -> Rehearsal | None:
    """What the session says, if whoever has it still organises the task."""
    told = request.session.get(SESSION_KEY)
    if not told:
        return None
    task = Task.objects.filter(slug=told["task"]).first()
    if task is None or not organises(request.user, task):
        return None
    eyes = told["eyes"]
    team = None if eyes in (VISITOR, STRANGER) else task.teams.filter(public_id=eyes).first()
    if team is None and eyes not in (VISITOR, STRANGER):
        return None
    at = datetime.fromisoformat(told["at"])
    signed_in, published = eyes != VISITOR, bool(told.get("published"))
    return Rehearsal(task=task, team=team, signed_in=signed_in, at=at, published=published)


def refuse_to_write(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    if not sql.lstrip("( \n").upper().startswith(READING):
        raise WouldWrite(sql.split(maxsplit=1)[0])
    return execute(sql, params, many, context)


class RehearsalMiddleware:
    """The last in the list: what those before it demand of the organiser is demanded as ever."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # The session is opened only where there is one, so that pages stay free of its cookie and query.
        rehearsal = of(request) if SESSION_KEY in request.session else None
        request.rehearsal = rehearsal  # type: ignore[attr-defined]
        if rehearsal is None:
            return self.get_response(request)
        request.organiser = request.user  # type: ignore[attr-defined]
        request.user = rehearsal.stand_in()
        response = self.get_response(request)
        # What was made for a stand-in must not be kept for anybody.
        response["Cache-Control"] = "no-store"
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: Any, kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        rehearsal: Rehearsal | None = getattr(request, "rehearsal", None)
        match = request.resolver_match
        if rehearsal is None or match is None:
            return None
        if match.url_name in (BEGIN, END):
            request.user = request.organiser  # type: ignore[attr-defined]
            return None
        if request.method not in ("GET", "HEAD"):
            return render(request, "visibility/refused.html", {"why": "write"}, status=409)
        here = kwargs.get("slug") == rehearsal.task.slug or (
            match.url_name in WITHOUT_TASK_IN_THEIR_ADDRESS and not match.namespace
        )
        if not here:
            return render(request, "visibility/refused.html", {"why": "elsewhere"}, status=409)
        published = as_if_published(rehearsal.task, at=rehearsal.at) if rehearsal.published else nullcontext()
        with clock.stopped_at(rehearsal.at), published, connection.execute_wrapper(refuse_to_write):
            try:
                response = view(request, *args, **kwargs)
                if hasattr(response, "render"):
                    response = response.render()
            except WouldWrite:
                return render(request, "visibility/refused.html", {"why": "write"}, status=409)
        return response
