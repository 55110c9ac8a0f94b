"""A team's own page, and the actions on it."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from sharedtask.accounts.models import User
from sharedtask.competition import task_access
from sharedtask.competition.acts import ActForm, act, flash_refusal, render_act_page
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.core.site_address import absolute
from sharedtask.overview.attention import attention, next_step
from sharedtask.overview.dashboard import build_dashboard
from sharedtask.overview.score_history import score_histories
from sharedtask.overview.team_runs_page import runs_context
from sharedtask.submissions import withdraw
from sharedtask.submissions.forms import WithdrawForm
from sharedtask.teams import describe, register, team_access
from sharedtask.teams import invite as invitations
from sharedtask.teams.forms import RulesForm
from sharedtask.teams.models import Team
from sharedtask.teams.pages.systems import own_system
from sharedtask.teams.pages.teams import own_team


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
    request: HttpRequest, task: Task, team: Team, *, link: str = "", refused: ActForm | None = None
) -> HttpResponse:
    at = clock.database_now()
    dashboard = build_dashboard(request.user, task, team, at=at)
    context = {"task": task, "team": team, "link": link, "at": at, "dashboard": dashboard}
    step = next_step(dashboard)
    others = [item for item in attention(dashboard, at=at) if item != step]
    context |= {"next_step": step, "attention": others}
    context |= runs_context(task, dashboard.runs, dashboard.phases)
    context["histories"] = score_histories(request.user, task, team, at=at)
    context["members"] = User.objects.filter(memberships__team=team).order_by("memberships__joined_at")
    context["invitations"] = team.invitations.usable(at=at).select_related("created_by")
    return render_act_page(request, "overview/team.html", context, refused=refused)


@login_required
@require_POST
@never_cache
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    """The link is shown only in this response, so there is no redirect."""
    team = own_team(request, slug)
    form = ActForm(request.POST)
    invited = act(request, form, partial(invitations.invite, team=team, at=clock.database_now()))
    if invited is None:
        return team_page(request, team.task, team, refused=form)
    return team_page(request, team.task, team, link=absolute(reverse("join", args=[invited.value])))


@login_required
@require_POST
def rules(request: HttpRequest, slug: str) -> HttpResponse:
    team = own_team(request, slug)
    form = RulesForm(request.POST)
    if act(request, form, partial(register.accept_rules, team=team, at=clock.database_now())):
        return redirect("team", slug)
    return team_page(request, team.task, team, refused=form)


@login_required
@require_POST
def primary(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    team = own_team(request, slug)
    system = own_system(team, public_id)
    form = ActForm(request.POST)
    if act(request, form, partial(describe.make_primary, system=system, at=clock.database_now())):
        return redirect("team", slug)
    return team_page(request, team.task, team, refused=form)


@login_required
@require_POST
def withdraw_system(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """The form is on the page of the system, which belongs to the results; a refusal is shown there."""
    system = own_system(own_team(request, slug), public_id)
    form = WithdrawForm(request.POST)
    if not act(request, form, partial(withdraw.withdraw_system, system=system)):
        flash_refusal(request, form)
    return redirect("system", slug, public_id)
