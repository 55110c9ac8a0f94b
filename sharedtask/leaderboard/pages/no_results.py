"""The page in place of results that a viewer may not see: it says why, and when there will be some."""

from __future__ import annotations

from datetime import datetime
from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from sharedtask.competition import task_access


class NoStandings(Http404):
    """The viewer may see no standing of the task."""


def no_results(
    request: HttpRequest, slug: str, *, at: datetime, status: HTTPStatus = HTTPStatus.NOT_FOUND
) -> HttpResponse:
    """Depends on the calendar alone: nothing here may differ with what was submitted or scored.

    The status is 404 for pages about results. The leaderboard of a phase exists before its results do.
    """
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    context = {
        "task": task,
        "at": at,
        "without_results": True,
        "blind_phases": [phase for phase in task.phases.begun(at=at) if phase.needs_registration],
        "next_phase": task.phases.upcoming(at=at).first(),
    }
    return render(request, "leaderboard/no_results.html", context, status=status)
