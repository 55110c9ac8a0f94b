"""Pages about tasks: the list of them, one of them, and the texts to be parsed."""

from __future__ import annotations

from django.db.models import Count, F
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from sharedtask import storage, visibility
from sharedtask.leaderboard.standings import standings


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    order = (F("opens_at").desc(nulls_last=True), "title")
    tasks = visibility.tasks(request.user).annotate(set_count=Count("test_sets")).order_by(*order)
    shown = visibility.tasks_with_standings(request.user).order_by(*order).first()
    return render(
        request,
        "home.html",
        {"tasks": tasks, "task": shown, "standings": standings(shown) if shown else None},
    )


@require_safe
def task(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(visibility.tasks(request.user), slug=slug)
    runs = visibility.own_runs(request.user, task)[:10]
    return render(
        request,
        "task.html",
        {
            "task": task,
            "test_sets": visibility.test_sets(request.user, task),
            "runs": visibility.states_of_own_runs(request.user, task, runs),
            "is_open": task.is_open(at=timezone.now()),
            "has_standings": visibility.standings(request.user, task),
        },
    )


@require_safe
def raw_text(request: HttpRequest, slug: str, code: str) -> FileResponse:
    task = get_object_or_404(visibility.tasks(request.user), slug=slug)
    test_set = get_object_or_404(visibility.test_sets(request.user, task), code=code)
    try:
        stream = storage.path_of(test_set.raw_text).open("rb")
    except FileNotFoundError:
        raise Http404("the raw text is not in storage") from None
    return FileResponse(
        stream, as_attachment=True, filename=f"{code}.txt", content_type="text/plain; charset=utf-8"
    )
