"""The leaderboard page (with htmx, only its table), and the page that defines its figures."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from sharedtask import visibility
from sharedtask.leaderboard.definitions import definitions
from sharedtask.leaderboard.standings import standings


@require_safe
@vary_on_headers("HX-Request")
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(visibility.tasks(request.user), slug=slug)
    if not visibility.standings(request.user, task):
        raise Http404("the standings of this task are not public")
    template = "_standings.html" if request.headers.get("HX-Request") else "leaderboard.html"
    return render(request, template, {"task": task, "standings": standings(task)})


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    return render(request, "metrics.html", {"definitions": definitions()})
