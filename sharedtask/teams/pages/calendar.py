"""The calendar for organisers: phases and their times, changing them, granting extensions."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST

from sharedtask.competition.acts import ActForm, act, render_act_page
from sharedtask.competition.change_times import change_times
from sharedtask.competition.forms import PhaseTimesForm
from sharedtask.competition.late_releases import late_releases
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.core import clock
from sharedtask.teams.extend import extend
from sharedtask.teams.forms import ExtensionForm
from sharedtask.teams.models import Extension


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def calendar(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    if request.method != "POST":
        return calendar_page(request, task)
    form = ExtensionForm(request.POST, task=task)
    if act(request, form, extend, done="The phase has been extended."):
        return redirect("calendar", slug=slug)
    return calendar_page(request, task, refused=form)


@login_required
@require_POST
def phase_times(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    task = organised_task(request, slug)
    phase = get_object_or_404(task.phases, code=code)
    form = PhaseTimesForm(request.POST, key=code)
    if act(
        request,
        form,
        partial(change_times, phase=phase),
        done=f"The times of {phase.title} have been changed.",
    ):
        return redirect("calendar", slug=slug)
    return calendar_page(request, task, refused=form)


def calendar_page(request: HttpRequest, task: Task, *, refused: ActForm | None = None) -> HttpResponse:
    at = clock.database_now()
    phases = task.phases.prefetch_related("extensions")
    context = {
        "task": task,
        "at": at,
        "late_releases": late_releases(task, at=at),
        "phases": [
            {
                "phase": phase,
                "closes_at": phase.closing_time(),
                "is_open": phase.is_open(at=at),
                "is_upcoming": at < phase.opens_at,
                "form": PhaseTimesForm.refused_or_new(phase.code, refused, initial=initial_times(phase)),
            }
            for phase in phases
        ],
        "extensions": Extension.objects.filter(phase__task=task).select_related(
            "phase", "team", "granted_by"
        ),
        "form": ExtensionForm.refused_or_new("", refused, task=task),
    }
    return render_act_page(request, "teams/calendar.html", context, refused=refused)


def initial_times(phase: Phase) -> dict[str, object]:
    return {"opens_at": phase.opens_at, "closes_at": phase.closes_at, "announce": True}
