"""The organisers' overview page and the acts on it."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_POST, require_safe

from sharedtask.accounts.models import User
from sharedtask.analysis.retry_failed import analyse_again
from sharedtask.competition.acts import ActForm, act, show
from sharedtask.competition.late_releases import late_releases
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.core import clock
from sharedtask.overview.forms import BaselineForm, GrantForm, RetryForm
from sharedtask.overview.organiser_overview import build_overview
from sharedtask.submissions.enter_baseline import enter_baseline
from sharedtask.submissions.grant_quota import grant_quota
from sharedtask.submissions.retry_failed import retry_runs


@login_required
@require_safe
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    return overview_page(request, organised_task(request, slug))


def overview_page(request: HttpRequest, task: Task, *, refused: ActForm | None = None) -> HttpResponse:
    at = clock.database_now()
    overview = build_overview(task, at=at)
    context = {
        "task": task,
        "at": at,
        "cockpit": overview,
        "late_releases": late_releases(task, at=at),
        "teams": [
            (row, GrantForm.refused_or_new(f"grant-{row.team.public_id}", refused)) for row in overview.teams
        ],
        "baseline_form": BaselineForm.refused_or_new("baseline", refused),
        "retry_form": RetryForm.refused_or_new("again", refused),
    }
    return show(request, "submissions/cockpit.html", context, refused=refused)


@login_required
@require_POST
def new_baseline(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    form = BaselineForm(request.POST, key="baseline")
    acted = act(
        request,
        form,
        partial(enter_baseline, task=task),
        done=lambda team: f"{team.name} was added as a baseline. Upload its files here.",
    )
    if acted:
        return redirect("upload-for-team", slug, acted.result.public_id)
    return overview_page(request, task, refused=form)


@login_required
@require_POST
def grant(request: HttpRequest, slug: str, team_id: str) -> HttpResponse:
    task = organised_task(request, slug)
    team = get_object_or_404(task.teams, public_id=team_id)
    form = GrantForm(request.POST, key=f"grant-{team_id}")
    acted = act(
        request,
        form,
        partial(grant_quota, team=team),
        done=lambda team: f"{team.name} now has {team.extra_runs} extra runs.",
    )
    return redirect("cockpit", slug) if acted else overview_page(request, task, refused=form)


@login_required
@require_POST
def retry_failed(request: HttpRequest, slug: str) -> HttpResponse:
    """Retry all work of a task that failed because of a server error."""
    task = organised_task(request, slug)
    form = RetryForm(request.POST, key="again")
    acted = act(request, form, partial(retry_all, task=task), done=retry_message)
    return redirect("cockpit", slug) if acted else overview_page(request, task, refused=form)


def retry_all(*, task: Task, by: User, reason: str) -> tuple[int, int]:
    runs = retry_runs(task=task, by=by, reason=reason)
    return runs, analyse_again(task=task, by=by, reason=reason)


def retry_message(numbers: tuple[int, int]) -> str:
    runs, outputs = numbers
    return f"Retrying {runs} run{pluralize(runs)} and the analysis of {outputs} output{pluralize(outputs)}."
