"""Pages of trainings: those of a team or, for organisers, of a task, with the form; and each by itself."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from sharedtask.accounts import roles
from sharedtask.competition import task_access
from sharedtask.competition.acts import ActForm, ReasonForm, act, render_act_page
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.curves.models import SeriesAnalysis, Training
from sharedtask.curves.training import access
from sharedtask.curves.training.describe import describe, describe_all
from sharedtask.curves.training.forms import TrainingForm, TrainingForTeamForm
from sharedtask.curves.training.request import request_training, training_data
from sharedtask.curves.training.stop import run_missing_samples, stop_training
from sharedtask.software.availability import unavailable_sentence
from sharedtask.software.models import StoredImage, SystemVersion
from sharedtask.teams import team_access
from sharedtask.teams.models import Team

MAX_SHOWN = 50
ACTS = {"stop": stop_training, "continue": run_missing_samples}


@login_required
@require_safe
def trainings(request: HttpRequest, slug: str) -> HttpResponse:
    return trainings_page(request, *place(request, slug))


def place(request: HttpRequest, slug: str) -> tuple[Task, Team | None]:
    """The team of a member; None for an organiser, who acts for all teams."""
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    team = team_access.team_of(request.user, task)
    if team is None and not roles.organises(request.user, task):
        raise Http404("for members of a team and organisers")
    return task, team


def trainings_page(
    request: HttpRequest, task: Task, team: Team | None, *, refused: ActForm | None = None
) -> HttpResponse:
    at = clock.database_now()
    rows = access.with_related(Training.objects.filter(phase__task=task))
    if team is not None:
        rows = rows.filter(version__system__team=team)
    trainings = list(rows[:MAX_SHOWN])
    phases = list(task.phases.begun(at=at))
    form_class = TrainingForm if team else TrainingForTeamForm
    context = {
        "task": task,
        "team": team,
        "is_own": team is not None,
        "at": at,
        "unavailable": unavailable_sentence(),
        "rows": [
            {"training": row, "view": view}
            for row, view in zip(trainings, describe_all(trainings), strict=True)
        ],
        "data": {phase.title: [each.code for each in training_data(phase, at=at)] for phase in phases},
        "form": form_class.refused_or_new("train", refused, **choices(task, team)),
    }
    return render_act_page(request, "curves/trainings.html", context, refused=refused)


def choices(task: Task, team: Team | None) -> dict[str, Any]:
    """Versions whose images can be trained, and phases that have begun."""
    versions = SystemVersion.objects.filter(
        system__team__task=task, system__withdrawn_at=None, image__state=StoredImage.State.READY
    )
    if team is not None:
        versions = versions.filter(system__team=team)
    related = versions.select_related("system__team__task", "image").order_by("-created_at", "-pk")
    return {
        "versions": [version for version in related if version.image.can_train],
        "phases": list(task.phases.begun(at=clock.database_now()).select_related("task")),
    }


@login_required
@require_POST
def train(request: HttpRequest, slug: str) -> HttpResponse:
    task, team = place(request, slug)
    form_class = TrainingForm if team else TrainingForTeamForm
    form = form_class(request.POST, key="train", **choices(task, team))
    if result := act(request, form, request_training):
        return redirect(result.value)
    return trainings_page(request, task, team, refused=form)


@login_required
@require_safe
def training(request: HttpRequest, public_id: str) -> HttpResponse:
    return training_page(request, find_training(request, public_id))


@login_required
@require_safe
def training_state(request: HttpRequest, public_id: str) -> HttpResponse:
    """The part that changes; 204 if it has not changed since the page was rendered."""
    context = training_context(request, find_training(request, public_id))
    version, view = request.GET.get("version", ""), context["view"]
    if version == view.version:
        return HttpResponse(status=204)
    if version.partition("-")[0] != view.version.partition("-")[0]:
        # The page has another form now.
        return HttpResponse(status=204, headers={"HX-Refresh": "true"})
    return render(request, "curves/_training_state.html", context)


def find_training(request: HttpRequest, public_id: str) -> Training:
    row = get_object_or_404(access.with_related(Training.objects.all()), public_id=public_id)
    if not access.may_see(request.user, row):
        raise Http404("no such training for this viewer")
    return row


def training_page(request: HttpRequest, row: Training, *, refused: ActForm | None = None) -> HttpResponse:
    context = training_context(request, row, refused=refused)
    return render_act_page(request, "curves/training.html", context, refused=refused)


def training_context(
    request: HttpRequest, row: Training, *, refused: ActForm | None = None
) -> dict[str, Any]:
    team = team_access.team_of(request.user, row.phase.task)
    is_own = team is not None and team.pk == row.version.system.team_id
    analysis = (
        SeriesAnalysis.objects.filter(system=row.version.system, phase=row.phase)
        .defer("result", "tallies")
        .first()
    )
    return {
        "task": row.phase.task,
        "training": row,
        "view": describe(row),
        "is_own": is_own,
        "unavailable": unavailable_sentence(),
        "analysis": analysis,
        "forms": {name: form_for(is_own).refused_or_new(name, refused) for name in ACTS},
    }


def form_for(is_own: bool) -> type[ActForm]:
    """Organisers give a reason."""
    return ActForm if is_own else ReasonForm


@login_required
@require_POST
def training_act(request: HttpRequest, public_id: str, act_name: str) -> HttpResponse:
    row = find_training(request, public_id)
    if act_name not in ACTS:
        raise Http404("no such act")
    is_own = training_context(request, row)["is_own"]
    form = form_for(is_own)(request.POST, key=act_name)
    if act(request, form, partial(ACTS[act_name], training=row)):
        return redirect(row)
    return training_page(request, row, refused=form)
