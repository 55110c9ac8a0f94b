"""A team's own pages: its dashboard, founding, joining and leaving it."""

from __future__ import annotations

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from sharedtask import clock, visibility
from sharedtask.competition.models import Task
from sharedtask.faults import TeamFault
from sharedtask.site_address import absolute
from sharedtask.teams import invite as invitations
from sharedtask.teams import leave as leaving
from sharedtask.teams import register
from sharedtask.teams.attention import attention, next_step
from sharedtask.teams.dashboard import dashboard
from sharedtask.teams.forms import TeamForm
from sharedtask.teams.models import Team
from sharedtask.teams.views.account import signed_in
from sharedtask.teams.views.runs import runs_context


def own_team(request: HttpRequest, slug: str) -> Team:
    task = get_object_or_404(visibility.tasks(request.user), slug=slug)
    team = visibility.team_of(request.user, task)
    if team is None:
        raise Http404("this person is in no team of the task")
    return team


@login_required
@require_safe
def team(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(visibility.tasks(request.user), slug=slug)
    team = visibility.team_of(request.user, task)
    if team is None:
        return render(request, "teams/none.html", {"task": task})
    return team_page(request, task, team)


def team_page(
    request: HttpRequest, task: Task, team: Team, *, link: str = "", fault: TeamFault | None = None
) -> HttpResponse:
    at = clock.database_now()
    board = dashboard(request.user, task, team, at=at)
    context = {"task": task, "team": team, "link": link, "fault": fault, "at": at, "dashboard": board}
    step = next_step(board)
    others = [concern for concern in attention(board, at=at) if concern != step]
    context |= {"next_step": step, "attention": others}
    context |= runs_context(board.runs, board.phases)
    context["members"] = User.objects.filter(membership__team=team).order_by("membership__joined_at")
    context["invitations"] = team.invitations.usable(at=at).select_related("created_by")
    return render(request, "teams/team.html", context, status=400 if fault else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(visibility.tasks(request.user), slug=slug)
    if visibility.team_of(request.user, task) is not None:
        return redirect("team", slug)
    if request.method == "POST":
        too_often = ratelimit.consume_or_429(request, action="register_team", user=signed_in(request))
        if too_often is not None:
            return too_often
    fault = None
    form = TeamForm(request.POST or None, task=task)
    if form.is_valid():
        told = form.cleaned_data
        try:
            register.ask(
                task=task,
                by=signed_in(request),
                name=told["name"],
                affiliation=told["affiliation"],
                pseudonym=told.get("pseudonym", ""),
                rules_version=told["rules_version"],
                at=clock.database_now(),
            )
        except TeamFault as caught:
            fault = caught
        else:
            messages.success(request, "Your team is there. The organisers have been asked to confirm it.")
            return redirect("team", slug)
    status = 400 if fault or form.errors else 200
    return render(request, "teams/new.html", {"task": task, "form": form, "fault": fault}, status=status)


@login_required
@require_POST
@never_cache
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    """The link is on the answer to this request and nowhere else, so it is no redirection."""
    team = own_team(request, slug)
    try:
        token = invitations.invite(team=team, by=signed_in(request), at=clock.database_now())
    except TeamFault as fault:
        return team_page(request, team.task, team, fault=fault)
    return team_page(request, team.task, team, link=absolute(reverse("join", args=[token])))


@login_required
@require_POST
def revoke(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    team = own_team(request, slug)
    at = clock.database_now()
    if invitations.revoke(team=team, public_id=public_id, by=signed_in(request), at=at):
        messages.success(request, "The invitation is revoked.")
    return redirect("team", slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def join(request: HttpRequest, token: str) -> HttpResponse:
    at = clock.database_now()
    invitation = invitations.find(token, at=at)
    context: dict[str, object] = {"team": invitation.team if invitation else None}
    if request.method == "POST":
        try:
            team = invitations.join(token=token, by=signed_in(request), at=at)
        except TeamFault as fault:
            return render(request, "teams/join.html", context | {"fault": fault}, status=400)
        messages.success(request, f"Welcome to {team.name}.")
        return redirect("team", team.task.slug)
    return render(request, "teams/join.html", context, status=200 if invitation else 404)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    team = own_team(request, slug)
    if request.method == "POST":
        leaving.leave(team=team, by=signed_in(request), at=clock.database_now())
        messages.success(request, f"You have left {team.name}.")
        return redirect("task", slug)
    alone = team.members.count() == 1
    return render(request, "teams/leave.html", {"task": team.task, "team": team, "alone": alone})


@login_required
@require_POST
def rules(request: HttpRequest, slug: str) -> HttpResponse:
    team = own_team(request, slug)
    version = request.POST.get("rules_version", "")
    try:
        register.accept_rules(
            team=team,
            by=signed_in(request),
            rules_version=int(version) if version.isdecimal() else 0,
            at=clock.database_now(),
        )
    except TeamFault as fault:
        return team_page(request, team.task, team, fault=fault)
    return redirect("team", slug)


@login_required
@require_POST
def ask_again(request: HttpRequest, slug: str) -> HttpResponse:
    register.ask_again(team=own_team(request, slug), by=signed_in(request), at=clock.database_now())
    return redirect("team", slug)
