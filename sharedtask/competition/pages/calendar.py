"""The organisers' page of the calendar: phases with their times, the extensions granted, and granting one."""

from __future__ import annotations

from datetime import UTC, datetime

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from sharedtask import clock
from sharedtask.competition.extend import extend
from sharedtask.competition.models import Extension, Task
from sharedtask.competition.pages.acting import attempt, who
from sharedtask.faults import TeamFault
from sharedtask.visibility.views import organised


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def calendar(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised(request, slug)
    if request.method == "POST" and attempt(
        request, lambda: extend_as_asked(request, task), "The phase is extended."
    ):
        return redirect("calendar", slug=slug)
    at = clock.database_now()
    phases = list(task.phases.prefetch_related("extensions"))
    context = {
        "task": task,
        "phases": [
            {"phase": phase, "closes_at": phase.closing_time(), "is_open": phase.is_open(at=at)}
            for phase in phases
        ],
        "extensions": Extension.objects.filter(phase__task=task).select_related(
            "phase", "team", "granted_by"
        ),
        "teams": task.teams.all(),
        "asked": request.POST,
    }
    return render(request, "competition/calendar.html", context)


def extend_as_asked(request: HttpRequest, task: Task) -> None:
    phase = get_object_or_404(task.phases, code=request.POST.get("phase", ""))
    team_id = request.POST.get("team", "")
    team = get_object_or_404(task.teams, public_id=team_id) if team_id else None
    try:
        # The browser's field has no zone; the page says that it is UTC.
        closes_at = datetime.fromisoformat(request.POST.get("closes_at", "")).replace(tzinfo=UTC)
    except ValueError:
        raise TeamFault("time-unreadable", "Please give the new closing time.") from None
    extend(
        phase=phase,
        closes_at=closes_at,
        reason=request.POST.get("reason", ""),
        by=who(request),
        team=team,
    )
