"""The organisers' page about the profile: what it measures, its versions, and the effect of a new one."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from evaluation import ProfileError
from sharedtask.competition.acts import ActForm, act, render_act_page
from sharedtask.competition.metrics import can_compute, installed_version, pending_version, profile_of
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.core import clock
from sharedtask.standings.corrections import Versions
from sharedtask.standings.forms import PutProfileInForceForm
from sharedtask.standings.gold_fix.compare import Comparison, compare
from sharedtask.standings.profile_change import put_in_force as putting
from sharedtask.submissions.models import Score


@login_required
@require_safe
def profile(request: HttpRequest, slug: str) -> HttpResponse:
    return profile_page(request, organised_task(request, slug))


@login_required
@require_POST
def put_in_force(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    form = PutProfileInForceForm(request.POST, key="force")
    done = "The new version is in force. Published results stay until you publish them again."
    if act(request, form, partial(putting.put_in_force, task=task), done=done):
        return redirect("profile", slug=slug)
    return profile_page(request, task, refused=form)


@login_required
@require_safe
def change(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A version that is in force, compared with the one before."""
    task = organised_task(request, slug)
    change = get_object_or_404(task.profile_changes.select_related("by"), pk=number)
    compared = comparisons(task, change.before, change.after)
    return render(
        request, "standings/profile_change.html", {"task": task, "change": change, "comparisons": compared}
    )


def profile_page(request: HttpRequest, task: Task, *, refused: ActForm | None = None) -> HttpResponse:
    pending = pending_version(task)
    has_scores = Score.objects.filter(file__run__task=task).exists()
    is_compared = pending is not None and has_scores
    scores = putting.scores_by(task, pending or "")
    context = {
        "task": task,
        "installed": installed_version(task),
        "is_scored_meanwhile": can_compute(task),
        "pending": pending if is_compared else None,
        "comparisons": comparisons(task, task.profile_version, pending) if is_compared else [],
        "to_score": scores.filter(state=Score.State.WAITING).count() if is_compared else 0,
        "failed": scores.filter(state=Score.State.FAILED).count() if is_compared else 0,
        "changes": task.profile_changes.select_related("by", "task"),
        "force_form": PutProfileInForceForm.refused_or_new("force", refused),
        **described(task),
    }
    return render_act_page(request, "standings/profile.html", context, refused=refused)


def described(task: Task) -> dict[str, object]:
    """The profile, or why it cannot be used."""
    try:
        return {"profile": profile_of(task)}
    except ProfileError as error:
        return {"profile": None, "problem": str(error)}


def comparisons(task: Task, old: str, new: str | None) -> list[Comparison]:
    at = clock.database_now()
    before, after = Versions(profile=old), Versions(profile=new)
    return [
        comparison
        for phase in task.phases.begun(at=at)
        for comparison in compare(phase, old=before, new=after, at=at)
    ]
