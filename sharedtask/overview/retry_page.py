"""One form of the organisers: everything of a task that failed on our side is tried again."""

from __future__ import annotations

from django.contrib import messages as flash
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_POST

from sharedtask.analysis.retry_failed import analyse_again
from sharedtask.competition.organised import organised
from sharedtask.submissions.moderation_pages import FAILED, attempt, person
from sharedtask.submissions.retry_failed import hand_all_again


@login_required
@require_POST
def hand_again_all(request: HttpRequest, slug: str) -> HttpResponse:
    task, by, reason = organised(request, slug), person(request), request.POST.get("reason", "")
    runs = attempt(request, lambda: hand_all_again(task=task, by=by, reason=reason))
    outputs = attempt(request, lambda: analyse_again(task=task, by=by, reason=reason))
    if FAILED not in (runs, outputs):
        told = f"{runs} run{pluralize(runs)} and {outputs} output{pluralize(outputs)} to analyse"
        flash.success(request, f"Handed out again: {told}.")
    return redirect("cockpit", slug)
