"""Pages on which a team adds and describes its systems."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from sharedtask.accounts.current_user import current_user
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.teams import describe
from sharedtask.teams.forms import SystemForm
from sharedtask.teams.models import System, Team
from sharedtask.teams.pages.teams import own_team


def own_system(team: Team, public_id: str) -> System:
    return get_object_or_404(System, team=team, public_id=public_id)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, slug: str) -> HttpResponse:
    return system_form(request, own_team(request, slug), None)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    team = own_team(request, slug)
    return system_form(request, team, own_system(team, public_id))


def system_form(request: HttpRequest, team: Team, system: System | None) -> HttpResponse:
    form = SystemForm(request.POST or None, system=system)
    refusal = None
    if form.is_valid():
        at, by = clock.database_now(), current_user(request)
        try:
            if system is None:
                saved = describe.add_system(team=team, by=by, at=at, **form.arguments)
            else:
                saved = describe.describe(system=system, by=by, at=at, **form.arguments)
        except Refusal as error:
            refusal = error
        else:
            return redirect("system", team.task.slug, saved.public_id)
    context = {"task": team.task, "team": team, "system": system, "form": form, "refusal": refusal}
    return render(request, "teams/system_form.html", context, status=400 if refusal or form.errors else 200)
