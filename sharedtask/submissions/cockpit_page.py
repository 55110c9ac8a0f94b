"""The organisers' first page: what there is to do, with the buttons for it."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from sharedtask import clock
from sharedtask.submissions.cockpit import cockpit as look
from sharedtask.visibility.views import organised


@login_required
@require_safe
def cockpit(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised(request, slug)
    at = clock.database_now()
    return render(request, "submissions/cockpit.html", {"task": task, "at": at, "cockpit": look(task, at=at)})
