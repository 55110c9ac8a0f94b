"""The leaderboard page; with htmx, only its table."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from sharedtask import clock, visibility
from sharedtask.leaderboard.standings import standings


@require_safe
@vary_on_headers("HX-Request")
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Of the phase that the address names, else of the latest that this reader may see."""
    at = clock.database_now()
    task = get_object_or_404(visibility.tasks(request.user), slug=slug)
    phases = list(visibility.phases_with_standings(request.user, task, at=at))
    code = request.GET.get("phase")
    chosen = [phase for phase in phases if code is None or phase.code == code]
    if not chosen:
        raise Http404("there are no standings for this reader")
    template = "_standings.html" if request.headers.get("HX-Request") else "leaderboard.html"
    context = {"task": task, "phases": phases, "standings": standings(chosen[0], at=at)}
    return render(request, template, context)
