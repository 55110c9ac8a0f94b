"""The organisers' page about gold: its versions, the effect of a correction, putting in force, releasing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from sharedtask.competition.acts import ActForm, act, render_act_page
from sharedtask.competition.models import GoldVersion, Task, TestSet
from sharedtask.competition.organised_task import organised_task
from sharedtask.competition.release_gold import release_gold as release_gold_of
from sharedtask.core import clock
from sharedtask.core.limits import readable_bytes, upload_limits
from sharedtask.standings.corrections import Versions, pending_corrections
from sharedtask.standings.forms import CorrectGoldForm, PutInForceForm, ReleaseGoldForm
from sharedtask.standings.gold_fix.compare import Comparison, compare
from sharedtask.standings.gold_fix.put_in_force import put_in_force as put_gold_in_force
from sharedtask.submissions.models import Score


@login_required
@require_safe
def gold(request: HttpRequest, slug: str) -> HttpResponse:
    return gold_page(request, organised_task(request, slug))


@login_required
@require_POST
def put_in_force(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    form = PutInForceForm(request.POST, key="force")
    done = "The corrected gold is in force. Publish the results again to show the new figures to readers."
    if act(request, form, partial(put_gold_in_force, task=task), done=done):
        return redirect("gold", slug=slug)
    return gold_page(request, task, refused=form)


@login_required
@require_POST
def release_gold(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    form = ReleaseGoldForm(request.POST, key="release", test_sets=unreleased(task))
    done = "Gold has been released. Its public copies will be available shortly."
    if act(request, form, partial(release_gold_of, task=task), done=done):
        return redirect("gold", slug=slug)
    return gold_page(request, task, refused=form)


@login_required
@require_safe
def fix(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A fix of gold that is in force, with the comparison of the versions before and after."""
    task = organised_task(request, slug)
    fix = get_object_or_404(task.gold_fixes.select_related("by"), pk=number)
    changes = list(fix.changes.select_related("before__test_set", "after__test_set"))
    if not changes:
        raise Http404("the versions of this fix have been deleted")
    old = {change.before.test_set_id: change.before for change in changes}
    new = {change.after.test_set_id: change.after for change in changes}
    context = {"task": task, "fix": fix, "changes": changes, "comparisons": comparisons(task, old, new)}
    return render(request, "standings/gold_fix.html", context)


def gold_page(request: HttpRequest, task: Task, *, refused: ActForm | None = None) -> HttpResponse:
    versions = GoldVersion.objects.filter(test_set__task=task).select_related("test_set", "created_by")
    pending = pending_corrections(task)
    old = {
        version.test_set_id: version.test_set.gold_in_force
        for version in pending
        if version.test_set.gold_in_force
    }
    new = {version.test_set_id: version for version in pending}
    scores = Score.objects.filter(gold__in=pending, profile_version=task.profile_version)
    context = {
        "task": task,
        "versions": versions.order_by("test_set__position", "number"),
        "corrections": pending,
        "comparisons": comparisons(task, old, new),
        "to_score": scores.filter(state=Score.State.WAITING).count(),
        "failed": scores.filter(state=Score.State.FAILED).count(),
        "fixes": task.gold_fixes.select_related("by").prefetch_related("changes__after__test_set"),
        "unreleased": unreleased(task).exists(),
        "largest": readable_bytes(upload_limits().archive_bytes),
        "correct_form": CorrectGoldForm.refused_or_new("correct", refused, test_sets=correctable(task)),
        "force_form": PutInForceForm.refused_or_new("force", refused),
        "release_form": ReleaseGoldForm.refused_or_new("release", refused, test_sets=unreleased(task)),
    }
    return render_act_page(request, "standings/gold.html", context, refused=refused)


def correctable(task: Task) -> QuerySet[TestSet]:
    return task.test_sets.filter(gold_in_force__isnull=False).order_by("position")


def unreleased(task: Task) -> QuerySet[TestSet]:
    secret = task.test_sets.filter(gold_in_force__isnull=False, gold_in_force__released_at=None)
    return secret.order_by("position")


def comparisons(
    task: Task, old: Mapping[int, GoldVersion], new: Mapping[int, GoldVersion]
) -> list[Comparison]:
    if not new:
        return []
    at = clock.database_now()
    phases = task.phases.begun(at=at).filter(test_sets__in=new).distinct()
    before, after = Versions(gold=old), Versions(gold=new)
    return [comparison for phase in phases for comparison in compare(phase, old=before, new=after, at=at)]
