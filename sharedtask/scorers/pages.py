"""The organisers' page about their own scorer: upload a version, see what became of it, discard it."""

from __future__ import annotations

from functools import partial

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST, require_safe

from sharedtask.competition.acts import ActForm, ReasonForm, act, render_act_page
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.competition.scorer import number_of_scorer
from sharedtask.scorers.availability import UNAVAILABLE, is_available
from sharedtask.scorers.discard import discard_scorer
from sharedtask.scorers.models import ScorerVersion


@login_required
@require_safe
def scorer(request: HttpRequest, slug: str) -> HttpResponse:
    return scorer_page(request, organised_task(request, slug))


@login_required
@require_POST
def discard(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    task = organised_task(request, slug)
    version = get_object_or_404(task.scorer_versions, number=number)
    form = ReasonForm(request.POST, key=f"discard-{number}")
    done = f"Version {number} is discarded."
    if act(request, form, partial(discard_scorer, version=version), done=done):
        return redirect("scorer", slug=slug)
    return scorer_page(request, task, refused=form)


def scorer_page(request: HttpRequest, task: Task, *, refused: ActForm | None = None) -> HttpResponse:
    in_force = number_of_scorer(task.profile_version)
    rows = []
    for version in task.scorer_versions.select_related("uploaded_by"):
        is_ready = version.state == ScorerVersion.State.READY
        form = None
        if is_ready and version.number != in_force:
            form = ReasonForm.refused_or_new(f"discard-{version.number}", refused)
        rows.append({"version": version, "is_in_force": version.number == in_force, "form": form})
    context = {
        "task": task,
        "rows": rows,
        "newest": task.newest_scorer.get("number"),
        "in_force": in_force,
        "unavailable": "" if is_available() else UNAVAILABLE,
        "largest_image": settings.IMAGE_MAX_BYTES,
    }
    return render_act_page(request, "scorers/scorer.html", context, refused=refused)
