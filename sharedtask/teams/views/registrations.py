"""Organisers look at who wants to take part, and confirm or decline."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.db.models import Case, Count, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from sharedtask.accounts.signed_in import signed_in
from sharedtask.competition.models import Task
from sharedtask.competition.organised import organised
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.teams import decide as deciding
from sharedtask.teams.models import Team


@login_required
@require_safe
def registrations(request: HttpRequest, slug: str) -> HttpResponse:
    return registrations_page(request, organised(request, slug))


def registrations_page(request: HttpRequest, task: Task, *, refusal: Refusal | None = None) -> HttpResponse:
    waiting_first = Case(When(registration=Team.Registration.REQUESTED, then=Value(0)), default=Value(1))
    teams = (
        Team.objects.filter(task=task)
        .annotate(rank=waiting_first, runs_received=Count("runs", distinct=True))
        .prefetch_related("members")
        .order_by("rank", "registered_at")
    )
    context = {"task": task, "teams": teams, "refusal": refusal}
    return render(request, "teams/registrations.html", context, status=400 if refusal else 200)


@login_required
@require_POST
def decide(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    task = organised(request, slug)
    team = get_object_or_404(Team, task=task, public_id=public_id)
    verb = deciding.confirm if request.POST.get("decision") == "confirm" else deciding.decline
    try:
        verb(
            team=team,
            by=signed_in(request),
            at=clock.database_now(),
            reason=request.POST.get("reason", ""),
        )
    except Refusal as refusal:
        return registrations_page(request, task, refusal=refusal)
    return redirect("registrations", slug)
