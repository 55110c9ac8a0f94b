"""The organisers' page of the calendar: phases with their times, changing these, granting an extension."""

from __future__ import annotations

from datetime import UTC, datetime

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from sharedtask.competition.change_times import change_times
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.organised import organised
from sharedtask.competition.pages.acting import attempt, who
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.teams.extend import extend
from sharedtask.teams.models import Extension


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def calendar(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised(request, slug)
    if request.method == "POST" and attempt(
        request, lambda: extend_as_asked(request, task), "The phase is extended."
    ):
        return redirect("calendar", slug=slug)
    return calendar_page(request, task)


@login_required
@require_POST
def phase_times(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    task = organised(request, slug)
    phase = get_object_or_404(task.phases, code=code)
    if attempt(request, lambda: change_as_asked(request, phase), f"{phase.title} has new times."):
        return redirect("calendar", slug=slug)
    # What was filled in stays, beside the sentence that says what is wrong with it.
    return calendar_page(request, task, changing=code, status=409)


def calendar_page(request: HttpRequest, task: Task, *, changing: str = "", status: int = 200) -> HttpResponse:
    at = clock.database_now()
    phases = list(task.phases.prefetch_related("extensions"))
    context = {
        "task": task,
        "at": at,
        "phases": [
            {
                "phase": phase,
                "closes_at": phase.closing_time(),
                "is_open": phase.is_open(at=at),
                "asked": request.POST if phase.code == changing else None,
            }
            for phase in phases
        ],
        "extensions": Extension.objects.filter(phase__task=task).select_related(
            "phase", "team", "granted_by"
        ),
        "teams": task.teams.all(),
        "asked": {} if changing else request.POST,
    }
    return render(request, "competition/calendar.html", context, status=status)


def change_as_asked(request: HttpRequest, phase: Phase) -> None:
    opens_at = told_time(request, "opens_at")
    if opens_at is None:
        raise Refusal("time-unreadable", "Please give the opening time.")
    change_times(
        phase=phase,
        opens_at=opens_at,
        closes_at=told_time(request, "closes_at"),
        reason=request.POST.get("reason", ""),
        by=who(request),
        tells_everybody="announce" in request.POST,
        means_the_past="past" in request.POST,
    )


def told_time(request: HttpRequest, name: str) -> datetime | None:
    """The browser's field has no zone; the page says that it is UTC. None for an empty one."""
    told = request.POST.get(name, "").strip()
    if not told:
        return None
    try:
        return datetime.fromisoformat(told).replace(tzinfo=UTC)
    except ValueError:
        raise Refusal("time-unreadable", "Please give a time such as 2026-05-01T12:00.") from None


def extend_as_asked(request: HttpRequest, task: Task) -> None:
    phase = get_object_or_404(task.phases, code=request.POST.get("phase", ""))
    team_id = request.POST.get("team", "")
    team = get_object_or_404(task.teams, public_id=team_id) if team_id else None
    closes_at = told_time(request, "closes_at")
    if closes_at is None:
        raise Refusal("time-unreadable", "Please give the new closing time.")
    extend(
        phase=phase,
        closes_at=closes_at,
        reason=request.POST.get("reason", ""),
        by=who(request),
        team=team,
    )
