"""The registrations of a task, which organisers confirm or decline."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.decorators import login_required
from django.db.models import Case, Count, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST, require_safe

from sharedtask.competition.acts import ActForm, act, render_act_page
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.teams import decide as decisions
from sharedtask.teams.forms import DecisionForm
from sharedtask.teams.models import Team


@login_required
@require_safe
def registrations(request: HttpRequest, slug: str) -> HttpResponse:
    return registrations_page(request, organised_task(request, slug))


@login_required
@require_POST
def decide(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    task = organised_task(request, slug)
    team = get_object_or_404(Team, task=task, public_id=public_id)
    form = DecisionForm(request.POST, key=f"decide-{public_id}")
    if act(request, form, partial(decisions.decide, team=team)):
        return redirect("registrations", slug)
    return registrations_page(request, task, refused=form)


def registrations_page(request: HttpRequest, task: Task, *, refused: ActForm | None = None) -> HttpResponse:
    waiting_first = Case(When(registration=Team.Registration.REQUESTED, then=Value(0)), default=Value(1))
    teams = (
        Team.objects.filter(task=task)
        .annotate(rank=waiting_first, runs_received=Count("runs", distinct=True))
        .prefetch_related("members")
        .order_by("rank", "registered_at")
    )
    rows = [(team, DecisionForm.refused_or_new(f"decide-{team.public_id}", refused)) for team in teams]
    context = {"task": task, "teams": rows}
    return render_act_page(request, "teams/registrations.html", context, refused=refused, status=400)
