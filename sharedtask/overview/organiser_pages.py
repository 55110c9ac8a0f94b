"""The organisers' overview page and the acts on it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_POST, require_safe

from sharedtask.accounts.models import User
from sharedtask.analysis.retry_failed import analyse_again
from sharedtask.competition.acts import ActForm, ReasonForm, act, render_act_page
from sharedtask.competition.late_releases import late_releases
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.core import clock
from sharedtask.overview.forms import BaselineForm, ConfirmManyForm, GrantForm, GrantManyForm, RetryForm
from sharedtask.overview.organiser_overview import build_overview
from sharedtask.standings.recompute import retry_failed_standings
from sharedtask.submissions.alarms import resolve
from sharedtask.submissions.enter_baseline import enter_baseline
from sharedtask.submissions.grant_quota import grant_quota, grant_to_teams
from sharedtask.submissions.models import Alarm
from sharedtask.submissions.retry_failed import retry_run as retry_failed_run
from sharedtask.submissions.retry_failed import retry_runs
from sharedtask.teams.decide import confirm_teams
from sharedtask.teams.models import Team


@login_required
@require_safe
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    return overview_page(request, organised_task(request, slug))


def overview_page(request: HttpRequest, task: Task, *, refused: ActForm | None = None) -> HttpResponse:
    at = clock.database_now()
    overview = build_overview(task, at=at)
    phases = list(task.phases.all())
    shown_phase = {"phase": overview.phase.code if overview.phase else ""}
    context = {
        "task": task,
        "at": at,
        "overview": overview,
        "late_releases": late_releases(task, at=at),
        "teams": [
            (
                row,
                GrantForm.refused_or_new(
                    f"grant-{row.team.public_id}", refused, phases=phases, initial=shown_phase
                ),
            )
            for row in overview.teams
        ],
        "grant_many_form": GrantManyForm.refused_or_new(
            "grant-many",
            refused,
            phases=phases,
            teams=[row.team for row in overview.teams if not row.team.is_baseline],
            initial=shown_phase,
        ),
        "confirm_many_form": ConfirmManyForm.refused_or_new(
            "confirm-many", refused, teams=overview.waiting_for_confirmation
        ),
        "baseline_form": BaselineForm.refused_or_new("baseline", refused),
        "retry_form": RetryForm.refused_or_new("retry", refused),
    }
    return render_act_page(request, "overview/organiser_overview.html", context, refused=refused)


@login_required
@require_POST
def new_baseline(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    form = BaselineForm(request.POST, key="baseline")
    result = act(
        request,
        form,
        partial(enter_baseline, task=task),
        done=lambda team: f"{team.name} was added as a baseline. Upload its files here.",
    )
    if result:
        return redirect("upload-for-team", slug, result.value.public_id)
    return overview_page(request, task, refused=form)


@login_required
@require_POST
def grant(request: HttpRequest, slug: str, team_id: str) -> HttpResponse:
    task = organised_task(request, slug)
    team = get_object_or_404(task.teams, public_id=team_id)
    form = GrantForm(request.POST, key=f"grant-{team_id}", phases=task.phases.all())
    result = act(
        request,
        form,
        partial(grant_quota, team=team),
        done=lambda runs: (
            f"{team.name} now has {runs} extra run{pluralize(runs)} in {form.arguments['phase'].title}."
        ),
    )
    return redirect("organiser-overview", slug) if result else overview_page(request, task, refused=form)


@login_required
@require_POST
def grant_many(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    teams = task.teams.filter(is_baseline=False)
    form = GrantManyForm(request.POST, key="grant-many", phases=task.phases.all(), teams=teams)
    result = act(
        request, form, grant_to_teams, done=lambda number: f"Granted to {number} team{pluralize(number)}."
    )
    return redirect("organiser-overview", slug) if result else overview_page(request, task, refused=form)


@login_required
@require_POST
def confirm_many(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    waiting = task.teams.filter(registration=Team.Registration.REQUESTED)
    form = ConfirmManyForm(request.POST, key="confirm-many", teams=waiting)
    result = act(
        request, form, confirm_teams, done=lambda number: f"{number} team{pluralize(number)} confirmed."
    )
    return redirect("organiser-overview", slug) if result else overview_page(request, task, refused=form)


@login_required
@require_POST
def retry_failed(request: HttpRequest, slug: str) -> HttpResponse:
    """Retry all work of a task that failed because of a server error."""
    task = organised_task(request, slug)
    form = RetryForm(request.POST, key="retry")
    result = act(request, form, partial(retry_all, task=task), done=retry_message)
    return redirect("organiser-overview", slug) if result else overview_page(request, task, refused=form)


@login_required
@require_POST
def retry_run(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    task = organised_task(request, slug)
    run = get_object_or_404(task.runs.select_related("task", "phase", "team"), public_id=public_id)
    return act_on_overview(
        request, task, partial(retry_failed_run, run=run), done="The run is being processed again."
    )


@login_required
@require_POST
def resolve_alarm(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    task = organised_task(request, slug)
    verb = partial(resolve.resolve, alarm=find_alarm(task, public_id))
    return act_on_overview(request, task, verb, done="The alarm was resolved.")


@login_required
@require_POST
def resolve_shared_alarm(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """An alarm that several runs have in common."""
    task = organised_task(request, slug)
    verb = partial(resolve.resolve_shared, alarm=find_alarm(task, public_id))
    return act_on_overview(request, task, verb, done="The alarm was resolved.")


def find_alarm(task: Task, public_id: str) -> Alarm:
    alarms = Alarm.objects.filter(run__task=task).select_related("run__task", "file")
    return get_object_or_404(alarms, public_id=public_id)


def act_on_overview(
    request: HttpRequest, task: Task, verb: Callable[..., object], *, done: str
) -> HttpResponse:
    """For the buttons in the lists, which send a fixed reason."""
    form = ReasonForm(request.POST)
    if act(request, form, verb, done=done):
        return redirect("organiser-overview", task.slug)
    return overview_page(request, task, refused=form)


def retry_all(*, task: Task, by: User, reason: str) -> tuple[int, int]:
    runs = retry_runs(task=task, by=by, reason=reason)
    retry_failed_standings(task)
    return runs, analyse_again(task=task, by=by, reason=reason)


def retry_message(numbers: tuple[int, int]) -> str:
    runs, outputs = numbers
    return f"Retrying {runs} run{pluralize(runs)} and the analysis of {outputs} output{pluralize(outputs)}."
