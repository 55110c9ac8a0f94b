"""The organisers' first page: what there is to do, with the buttons for it; the verbs decide."""

from __future__ import annotations

from typing import Any

from django.contrib import messages as flash
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from sharedtask.competition.organised import organised
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.overview.cockpit import cockpit as look
from sharedtask.submissions.enter_baseline import enter_baseline
from sharedtask.submissions.grant_quota import grant_quota
from sharedtask.submissions.moderation_pages import FAILED, attempt, person


@login_required
@require_safe
def cockpit(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised(request, slug)
    at = clock.database_now()
    return render(request, "submissions/cockpit.html", {"task": task, "at": at, "cockpit": look(task, at=at)})


@login_required
@require_POST
def new_baseline(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised(request, slug)
    name, reason = request.POST.get("name", ""), request.POST.get("reason", "")
    team = attempt(request, lambda: enter_baseline(task=task, name=name, by=person(request), reason=reason))
    if team is FAILED:
        return redirect("cockpit", slug)
    flash.success(request, f"{team.name} is entered as a baseline. Upload its files here.")
    return redirect("upload-for-team", slug, team.public_id)


@login_required
@require_POST
def grant(request: HttpRequest, slug: str, team_id: str) -> HttpResponse:
    task = organised(request, slug)
    team = get_object_or_404(task.teams, public_id=team_id)
    number = request.POST.get("runs", "")

    def act() -> Any:
        if not number.removeprefix("-").isdecimal() or len(number) > 6:
            raise Refusal("quota-grant-unfit", "Please give a whole number of runs.", found=number)
        reason = request.POST.get("reason", "")
        return grant_quota(team=team, runs=int(number), by=person(request), reason=reason)

    granted = attempt(request, act)
    if granted is not FAILED:
        flash.success(request, f"{team.name} now has {granted.extra_runs} runs beyond its quota.")
    return redirect("cockpit", slug)
