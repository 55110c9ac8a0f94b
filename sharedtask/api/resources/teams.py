"""Teams of a task, for its organisers: registrations and quotas."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.db.models import Count
from django.http import Http404, HttpRequest
from ninja import Router, Schema
from pydantic import Field

from sharedtask.api.authentication import MAY_ORGANISE, owner_of
from sharedtask.api.pagination import Page, Paging, page_of
from sharedtask.api.viewing import without_nul
from sharedtask.competition import reasons
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.submissions.grant_quota import MAX_EXTRA_RUNS, grant_quota
from sharedtask.teams import decide as decisions
from sharedtask.teams.models import Team

router = Router()


class TeamOut(Schema):
    id: str
    name: str
    pseudonym: str
    affiliation: str
    registration: str
    is_baseline: bool
    registered_at: datetime
    accepted_rules_version: int
    members: list[str]
    runs: int


class DecisionIn(Schema):
    decision: Literal["confirm", "decline"] = "confirm"
    reason: str = Field("", max_length=reasons.MAX_LENGTH, description="Needed to decline a team.")


class GrantIn(Schema):
    phase: str = Field(max_length=40)
    runs: int = Field(
        ge=-MAX_EXTRA_RUNS, le=MAX_EXTRA_RUNS, description="A negative number takes back unused ones."
    )
    reason: str = Field(max_length=reasons.MAX_LENGTH)


class GrantOut(Schema):
    team: str
    phase: str
    extra_runs: int = Field(description="After the change.")


@router.get("/tasks/{task}/teams", response=Page[TeamOut], auth=MAY_ORGANISE, summary="Teams of your task")
def list_teams(request: HttpRequest, task: str, paging: Paging) -> dict[str, Any]:
    teams = teams_of(organised_task(request, without_nul(task)))
    page = page_of(teams, paging, lambda team: team.public_id)
    return page | {"items": [team_out(team) for team in page["items"]]}


def teams_of(task: Task) -> list[Any]:
    counted = Team.objects.filter(task=task).annotate(runs_received=Count("runs", distinct=True))
    return list(counted.prefetch_related("members").order_by("registered_at", "pk"))


def team_out(team: Any) -> dict[str, Any]:
    return {
        "id": team.public_id,
        "name": team.name,
        "pseudonym": team.pseudonym,
        "affiliation": team.affiliation,
        "registration": team.registration,
        "is_baseline": team.is_baseline,
        "registered_at": team.registered_at,
        "accepted_rules_version": team.rules_version,
        "members": [user.get_full_name() or user.get_username() for user in team.members.all()],
        "runs": team.runs_received,
    }


@router.post(
    "/tasks/{task}/teams/{team}/confirm",
    response=TeamOut,
    auth=MAY_ORGANISE,
    summary="Confirm or decline a registration",
)
def decide_registration(
    request: HttpRequest, task: str, team: str, body: DecisionIn | None = None
) -> dict[str, Any]:
    row, team_row = find_team(request, task, team)
    decision = body or DecisionIn(decision="confirm", reason="")
    decisions.decide(team=team_row, decision=decision.decision, by=owner_of(request), reason=decision.reason)
    return next(team_out(each) for each in teams_of(row) if each.pk == team_row.pk)


@router.post(
    "/tasks/{task}/teams/{team}/quota", response=GrantOut, auth=MAY_ORGANISE, summary="Grant a team more runs"
)
def grant_runs(request: HttpRequest, task: str, team: str, body: GrantIn) -> dict[str, Any]:
    row, team_row = find_team(request, task, team)
    phase = row.phases.filter(code=without_nul(body.phase)).first()
    if phase is None:
        raise Http404("there is no such phase")
    after = grant_quota(phase=phase, team=team_row, runs=body.runs, by=owner_of(request), reason=body.reason)
    return {"team": team_row.public_id, "phase": phase.code, "extra_runs": after}


def find_team(request: HttpRequest, slug: str, public_id: str) -> tuple[Task, Team]:
    task = organised_task(request, without_nul(slug))
    team = task.teams.filter(public_id=without_nul(public_id)).first()
    if team is None:
        raise Http404("there is no such team")
    return task, team
