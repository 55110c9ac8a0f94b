"""A team's own page, and the actions on it."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from sharedtask.accounts.current_user import current_user
from sharedtask.accounts.models import User
from sharedtask.competition import task_access
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.core.site_address import absolute
from sharedtask.overview.attention import attention, next_step
from sharedtask.overview.dashboard import dashboard
from sharedtask.overview.score_history import score_histories
from sharedtask.overview.team_runs_page import runs_context
from sharedtask.teams import describe, register, team_access
from sharedtask.teams import invite as invitations
from sharedtask.teams.forms import RulesForm
from sharedtask.teams.models import Team
from sharedtask.teams.views.systems import own_system
from sharedtask.teams.views.teams import own_team


@login_required
@require_safe
def team(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    team = team_access.team_of(request.user, task)
    if team is None:
        is_over = task_access.is_over(task, at=clock.database_now())
        return render(request, "overview/no_team.html", {"task": task, "is_over": is_over})
    return team_page(request, task, team)


def team_page(
    request: HttpRequest, task: Task, team: Team, *, link: str = "", refusal: Refusal | None = None
) -> HttpResponse:
    at = clock.database_now()
    board = dashboard(request.user, task, team, at=at)
    context = {"task": task, "team": team, "link": link, "refusal": refusal, "at": at, "dashboard": board}
    step = next_step(board)
    others = [concern for concern in attention(board, at=at) if concern != step]
    context |= {"next_step": step, "attention": others}
    context |= runs_context(task, board.runs, board.phases)
    context["histories"] = score_histories(request.user, task, team, at=at)
    context["members"] = User.objects.filter(memberships__team=team).order_by("memberships__joined_at")
    context["invitations"] = team.invitations.usable(at=at).select_related("created_by")
    return render(request, "overview/team.html", context, status=400 if refusal else 200)


@login_required
@require_POST
@never_cache
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    """The link is shown only in this response, so there is no redirect."""
    team = own_team(request, slug)
    try:
        token = invitations.invite(team=team, by=current_user(request), at=clock.database_now())
    except Refusal as refusal:
        return team_page(request, team.task, team, refusal=refusal)
    return team_page(request, team.task, team, link=absolute(reverse("join", args=[token])))


@login_required
@require_POST
def rules(request: HttpRequest, slug: str) -> HttpResponse:
    team = own_team(request, slug)
    form = RulesForm(request.POST)
    try:
        register.accept_rules(
            team=team,
            by=current_user(request),
            rules_version=form.cleaned_data["rules_version"] if form.is_valid() else 0,
            at=clock.database_now(),
        )
    except Refusal as refusal:
        return team_page(request, team.task, team, refusal=refusal)
    return redirect("team", slug)


@login_required
@require_POST
def primary(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    team = own_team(request, slug)
    try:
        describe.make_primary(
            system=own_system(team, public_id), by=current_user(request), at=clock.database_now()
        )
    except Refusal as refusal:
        return team_page(request, team.task, team, refusal=refusal)
    return redirect("team", slug)
