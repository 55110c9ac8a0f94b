"""The experiments of a task that a viewer may see, and the form that starts one."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST, require_safe

from sharedtask.accounts import roles
from sharedtask.accounts.roles import Viewer
from sharedtask.cascades.experiment_access import visible_experiments
from sharedtask.cascades.forms import StartExperimentForm
from sharedtask.cascades.names import system_name
from sharedtask.cascades.start import start_experiment, usable_test_sets, usable_versions
from sharedtask.competition import task_access
from sharedtask.competition.acts import ActForm, act, render_act_page
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.software.availability import unavailable_sentence
from sharedtask.software.public_gold import WHY
from sharedtask.teams import team_access


@require_safe
def experiments(request: HttpRequest, slug: str) -> HttpResponse:
    return experiments_page(request, get_object_or_404(task_access.tasks(request.user), slug=slug))


def experiments_page(request: HttpRequest, task: Task, *, refused: ActForm | None = None) -> HttpResponse:
    at = clock.database_now()
    names = team_access.names(request.user, task, at=at)
    context: dict[str, Any] = {
        "task": task,
        "at": at,
        "rows": [(row, system_name(names, row)) for row in visible_experiments(request.user, task, at=at)],
        "why": WHY,
        "unavailable": unavailable_sentence(),
    }
    choices = start_choices(request.user, task, at=at)
    if choices is not None:
        context |= {"form": refused or StartExperimentForm(key="start", **choices), "may_start": True}
    return render_act_page(request, "cascades/experiments.html", context, refused=refused)


def start_choices(viewer: Viewer, task: Task, *, at: datetime) -> dict[str, Any] | None:
    """For organisers the systems of all teams; for others those of their team; None without one."""
    organises = roles.organises(viewer, task)
    team = None if organises else team_access.team_of(viewer, task)
    if team is None and not organises:
        return None
    return {
        "versions": usable_versions(task, team),
        "test_sets": usable_test_sets(task, at=at),
        "with_reason": organises,
    }


@login_required
@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    choices = start_choices(request.user, task, at=clock.database_now())
    if choices is None:
        raise Http404("only teams and organisers start experiments")
    form = StartExperimentForm(request.POST, key="start", **choices)
    if result := act(request, form, start_experiment):
        return redirect(result.value)
    return experiments_page(request, task, refused=form)
