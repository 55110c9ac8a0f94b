"""The organisers' page of gold: its versions, what a correction changes, putting it in force, releasing."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from sharedtask.competition.models import AuditEntry, GoldVersion, Task
from sharedtask.competition.organised import organised
from sharedtask.competition.pages.acting import attempt, who
from sharedtask.competition.release_gold import release_gold as release
from sharedtask.core import clock
from sharedtask.standings.gold_fix import compare
from sharedtask.standings.put_in_force import corrections
from sharedtask.standings.put_in_force import put_in_force as put
from sharedtask.submissions.models import Score


@login_required
@require_safe
def gold(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised(request, slug)
    versions = GoldVersion.objects.filter(test_set__task=task).select_related("test_set", "created_by")
    waiting = corrections(task)
    old = {one.test_set_id: one.test_set.gold_in_force for one in waiting if one.test_set.gold_in_force}
    new = {one.test_set_id: one for one in waiting}
    scores = Score.objects.filter(gold__in=waiting)
    context = {
        "task": task,
        "versions": versions.order_by("test_set__position", "number"),
        "corrections": waiting,
        "comparisons": comparisons(task, old, new),
        "to_score": scores.filter(state=Score.State.WAITING).count(),
        "failed": scores.filter(state=Score.State.FAILED).count(),
        "fixes": task.audit.filter(action="put-gold-in-force"),
        "unreleased": task.test_sets.filter(
            gold_in_force__isnull=False, gold_in_force__released_at=None
        ).order_by("position"),
    }
    return render(request, "competition/gold.html", context)


@login_required
@require_safe
def fix(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A correction that was put in force: both versions stay, and so does the comparison."""
    task = organised(request, slug)
    entry = get_object_or_404(AuditEntry, task=task, action="put-gold-in-force", pk=number)
    told: dict[str, list[int]] = entry.details["versions"]
    found = GoldVersion.objects.filter(test_set__task=task, test_set__code__in=told).select_related(
        "test_set"
    )
    by_number = {(one.test_set.code, one.number): one for one in found}
    if any((code, n) not in by_number for code, numbers in told.items() for n in numbers):
        raise Http404("a version of this correction is gone")
    old, new = (
        {one.test_set_id: one for code, numbers in told.items() for one in [by_number[code, numbers[side]]]}
        for side in (0, 1)
    )
    context = {"task": task, "entry": entry, "versions": told, "comparisons": comparisons(task, old, new)}
    return render(request, "competition/gold_fix.html", context)


def comparisons(task: Task, old: dict[int, GoldVersion], new: dict[int, GoldVersion]) -> list[Any]:
    if not new:
        return []
    at = clock.database_now()
    phases = task.phases.begun(at=at).filter(test_sets__in=new).distinct().select_related("task")
    return [one for phase in phases for one in compare(phase, old=old, new=new, at=at)]


@login_required
@require_POST
def put_in_force(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised(request, slug)
    compared = {}
    for told in request.POST.getlist("compared"):
        code, _, number = told.rpartition(":")
        compared[code] = int(number) if number.isdecimal() else 0
    reason = request.POST.get("reason", "")
    attempt(
        request,
        lambda: put(task=task, by=who(request), reason=reason, compared=compared),
        "The corrected gold is in force. Publish the results again for readers to see the new figures.",
    )
    return redirect("gold", slug=slug)


@login_required
@require_POST
def release_gold(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised(request, slug)
    codes = request.POST.getlist("code")
    reason = request.POST.get("reason", "")
    attempt(
        request,
        lambda: release(task=task, by=who(request), reason=reason, codes=codes),
        "Gold is released. A worker writes the public copies now.",
    )
    return redirect("gold", slug=slug)
