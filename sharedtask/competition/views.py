"""Pages about tasks: the list of them, one of them, and the texts to be parsed."""

from __future__ import annotations

from django.db.models import F, Max
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from sharedtask import clock, storage, visibility
from sharedtask.competition.models import Phase
from sharedtask.leaderboard.standings import page


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
    test_sets = visibility.test_sets(request.user, task, at=at).prefetch_related("inputs")
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
                {"set": one, "text": visibility.raw_text(request.user, one, at=at)} for one in test_sets
            ],
            "runs": visibility.states_of_own_runs(request.user, task, runs, at=at),
            "has_standings": visibility.phases_with_standings(request.user, task, at=at).exists(),
        },
    )


@require_safe
def raw_text(request: HttpRequest, slug: str, code: str) -> FileResponse:
    at = clock.database_now()
    task = get_object_or_404(visibility.tasks(request.user), slug=slug)
    test_set = get_object_or_404(visibility.test_sets(request.user, task, at=at), code=code)
    text = visibility.raw_text(request.user, test_set, at=at)
    if text is None:
        raise Http404("the input is not out")
    try:
        stream = storage.open_stream(text.stored)
    except FileNotFoundError:
        raise Http404("the raw text is not in storage") from None
    return FileResponse(
        stream, as_attachment=True, filename=text.filename, content_type="text/plain; charset=utf-8"
    )
