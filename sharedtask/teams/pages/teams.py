"""Registering, joining and leaving a team."""

from __future__ import annotations

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from sharedtask.accounts import attempts
from sharedtask.accounts.current_user import current_user
from sharedtask.competition import task_access
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.teams import invite as invitations
from sharedtask.teams import leave as leaving
from sharedtask.teams import register, team_access
from sharedtask.teams.forms import TeamDetailsForm, TeamForm
from sharedtask.teams.models import Team
from sharedtask.teams.rename import rename

REGISTER_TEAM = "register_team"
"""The name of the limit in `settings.ACCOUNT_RATE_LIMITS`."""


def own_team(request: HttpRequest, slug: str) -> Team:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    team = team_access.team_of(request.user, task)
    if team is None:
        raise Http404("the viewer is in no team of the task")
    return team


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    if team_access.team_of(request.user, task) is not None:
        return redirect("team", slug)
    user = current_user(request)
    if request.method == "POST" and not ratelimit.consume(request, action=REGISTER_TEAM, user=user):
        wait = attempts.waiting_time(attempts.seconds_left(request, action=REGISTER_TEAM))
        return render(request, "429.html", {"wait": wait}, status=429)
    refusal = None
    form = TeamForm(request.POST or None, task=task)
    if form.is_valid():
        values = form.cleaned_data
        try:
            register.request_registration(
                task=task,
                by=user,
                name=values["name"],
                affiliation=values["affiliation"],
                pseudonym=values.get("pseudonym", ""),
                rules_version=values["rules_version"],
                at=clock.database_now(),
            )
        except Refusal as error:
            refusal = error
        else:
            messages.success(request, "Your team is registered. The organisers will confirm it.")
            return redirect("team", slug)
    status = 400 if refusal or form.errors else 200
    is_over = task_access.is_over(task, at=clock.database_now())
    context = {"task": task, "form": form, "refusal": refusal, "is_over": is_over}
    return render(request, "teams/new.html", context, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    team = own_team(request, slug)
    initial = {"name": team.name, "affiliation": team.affiliation}
    form = TeamDetailsForm(request.POST or None, initial=initial)
    refusal = None
    if form.is_valid():
        try:
            rename(team=team, by=current_user(request), at=clock.database_now(), **form.cleaned_data)
        except Refusal as error:
            refusal = error
        else:
            messages.success(request, "The changes have been saved.")
            return redirect("team", slug)
    context = {"task": team.task, "team": team, "form": form, "refusal": refusal}
    return render(request, "teams/edit.html", context, status=400 if refusal or form.errors else 200)


@login_required
@require_POST
def revoke(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    team = own_team(request, slug)
    at = clock.database_now()
    if invitations.revoke(team=team, public_id=public_id, by=current_user(request), at=at):
        messages.success(request, "The invitation has been revoked.")
    return redirect("team", slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def join(request: HttpRequest, token: str) -> HttpResponse:
    at = clock.database_now()
    invitation = invitations.find_usable(token, at=at)
    context: dict[str, object] = {"team": invitation.team if invitation else None}
    if request.method == "POST":
        try:
            team = invitations.join(token=token, by=current_user(request), at=at)
        except Refusal as refusal:
            return render(request, "teams/join.html", context | {"refusal": refusal}, status=400)
        messages.success(request, f"Welcome to {team.name}.")
        return redirect("team", team.task.slug)
    return render(request, "teams/join.html", context, status=200 if invitation else 404)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    team = own_team(request, slug)
    if request.method == "POST":
        leaving.leave(team=team, by=current_user(request), at=clock.database_now())
        messages.success(request, f"You have left {team.name}.")
        return redirect("task", slug)
    alone = team.members.count() == 1
    return render(request, "teams/leave.html", {"task": team.task, "team": team, "alone": alone})


@login_required
@require_POST
def request_again(request: HttpRequest, slug: str) -> HttpResponse:
    register.request_again(team=own_team(request, slug), by=current_user(request), at=clock.database_now())
    return redirect("team", slug)
