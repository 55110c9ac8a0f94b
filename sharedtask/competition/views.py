"""Pages about tasks: the list of them, one of them, and the texts to be parsed."""

from __future__ import annotations

from datetime import datetime

from django.db.models import F, Max
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from sharedtask import clock, storage, visibility
from sharedtask.competition.models import Phase, TestSet
from sharedtask.leaderboard.standings import page

SHOWN_ANNOUNCEMENTS = 2


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    at = clock.database_now()
    tasks = visibility.tasks(request.user).annotate(latest=Max("phases__opens_at"))
    phase = visibility.phases_with_standings(request.user, at=at).first()
    return render(
        request,
        "home.html",
        {
            # A task without a phase yet comes last.
            "tasks": tasks.order_by(F("latest").desc(nulls_last=True), "title"),
            "task": phase.task if phase else None,
            "standings": page(request.user, phase, at=at) if phase else None,
        },
    )


@require_safe
def task(request: HttpRequest, slug: str) -> HttpResponse:
    at = clock.database_now()
    task = get_object_or_404(visibility.tasks(request.user), slug=slug)
    team = visibility.team_of(request.user, task)
    phases: list[Phase] = list(task.phases.prefetch_related("extensions").select_related("task"))
    runs = visibility.own_runs(request.user, task, team)[:10]
    role = visibility.role_of(request.user, task)
    test_sets = visibility.test_sets(request.user, task, at=at).select_related("task", "gold_in_force")
    return render(
        request,
        "task.html",
        {
            "task": task,
            "phases": [
                {
                    "phase": phase,
                    "closes_at": phase.closing_time(team),
                    "is_open": phase.is_open(at=at, team=team),
                    "blind": visibility.is_blind(phase, at=at),
                }
                for phase in phases
            ],
            "is_open": any(phase.is_open(at=at, team=team) for phase in phases),
            "test_sets": [
                {
                    "set": one,
                    "sealed": not one.is_revealed(at=at),
                    "text": visibility.raw_text(request.user, one, at=at),
                    "inputs": visibility.inputs(request.user, one, at=at, role=role),
                    "gold": visibility.gold_file(request.user, one, at=at, role=role),
                }
                for one in test_sets.prefetch_related("inputs")
            ],
            "announcements": task.announcements.filter(at__lte=at)[:SHOWN_ANNOUNCEMENTS],
            "organises": visibility.organises(request.user, task),
            "runs": visibility.states_of_own_runs(request.user, task, runs, at=at),
            "has_standings": visibility.phases_with_standings(request.user, task, at=at).exists(),
        },
    )


@require_safe
def raw_text(request: HttpRequest, slug: str, code: str) -> FileResponse:
    at = clock.database_now()
    text = visibility.raw_text(request.user, known_set(request, slug, code, at=at), at=at)
    if text is None:
        raise Http404("the input is not out")
    return stored_file(text.stored, text.filename)


@require_safe
def input_file(request: HttpRequest, slug: str, code: str, variant: str) -> FileResponse:
    """A variant of the input, or a sample."""
    at = clock.database_now()
    for file in visibility.inputs(request.user, known_set(request, slug, code, at=at), at=at):
        if file.variant == variant:
            return stored_file(file.stored, file.filename)
    raise Http404("there is no such input for this reader")


@require_safe
def gold_file(request: HttpRequest, slug: str, code: str) -> FileResponse:
    """The public copy, which a worker wrote after an organiser had released it."""
    at = clock.database_now()
    version = visibility.gold_file(request.user, known_set(request, slug, code, at=at), at=at)
    if version is None:
        raise Http404("this gold is not public")
    return stored_file(version.public_copy, f"{code}.conllu")


def known_set(request: HttpRequest, slug: str, code: str, *, at: datetime) -> TestSet:
    task = get_object_or_404(visibility.tasks(request.user), slug=slug)
    return get_object_or_404(visibility.test_sets(request.user, task, at=at), code=code)


def stored_file(stored: str, filename: str) -> FileResponse:
    try:
        stream = storage.open_stream(stored)
    except FileNotFoundError:
        raise Http404("the file is not in storage") from None
    return FileResponse(
        stream, as_attachment=True, filename=filename, content_type="text/plain; charset=utf-8"
    )
