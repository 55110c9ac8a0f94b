"""The list of runs on a team's page, updated while one of them is in progress."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from sharedtask.competition import task_access
from sharedtask.competition.metrics import main_metrics
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.overview.dashboard import PhaseSummary, phase_summaries, phases_of
from sharedtask.overview.latest_runs import RunSummary, latest_runs, list_version
from sharedtask.teams import team_access


@login_required
@require_safe
@never_cache
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    """204 if nothing has changed since the page was rendered."""
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    team = team_access.team_of(request.user, task)
    if team is None:
        raise Http404("this person has no team in the task")
    runs = latest_runs(request.user, task, team, at=at)
    if request.GET.get("version") == list_version(runs):
        return HttpResponse(status=204)
    context = {"task": task, **runs_context(task, runs, phase_summaries(task, team, phases_of(task), at=at))}
    return render(request, "overview/_runs.html", context)


def runs_context(task: Task, runs: Sequence[RunSummary], phases: Iterable[PhaseSummary]) -> dict[str, Any]:
    return {
        # Columns that would be empty are left out.
        "run_metrics": score_columns(task) if any(run.figures for run in runs) else [],
        "runs": runs,
        "official": {phase.official.run.pk for phase in phases if phase.official},
        "all_final": all(run.is_final for run in runs),
        "version": list_version(runs),
    }


def score_columns(task: Task) -> list[str]:
    """Tracks have different metrics, so that their cells name them."""
    return ["Score"] if task.tracks else main_metrics(task)
