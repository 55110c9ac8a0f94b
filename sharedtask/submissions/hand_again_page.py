"""One form of the organisers: everything of a task that failed on our side is handed out again."""

from __future__ import annotations

from django.contrib import messages as flash
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from sharedtask.submissions.hand_again import hand_all_again
from sharedtask.submissions.moderation_pages import FAILED, attempt, person
from sharedtask.visibility.views import organised


@login_required
@require_POST
def hand_again_all(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised(request, slug)
    reason = request.POST.get("reason", "")
    number = attempt(request, lambda: hand_all_again(task=task, by=person(request), reason=reason))
    if number is not FAILED:
        flash.success(request, f"Handed out again: {number} run{'' if number == 1 else 's'}.")
    return redirect("cockpit", slug)
