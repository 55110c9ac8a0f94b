"""The owner of a token: teams, organised tasks, and the token itself."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema

from sharedtask.accounts import roles, tokens
from sharedtask.accounts.models import Scope
from sharedtask.api.authentication import MAY_READ, owner_of, token_of
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.teams.models import Team

router = Router()


class TokenOut(Schema):
    name: str
    scopes: list[Scope]
    created_at: datetime
    expires_at: datetime


class OwnSystemOut(Schema):
    id: str
    name: str
    is_primary: bool
    is_withdrawn: bool


class OwnTeamOut(Schema):
    id: str
    name: str
    task: str
    registration: str
    systems: list[OwnSystemOut]


class AccountOut(Schema):
    username: str
    name: str
    token: TokenOut
    teams: list[OwnTeamOut]
    organised_tasks: list[str]


@router.get("/me", response=AccountOut, auth=MAY_READ, summary="Who you are and what your token may do")
def show_account(request: HttpRequest) -> dict[str, Any]:
    user, token = owner_of(request), token_of(request)
    teams = Team.objects.filter(members=user).select_related("task").prefetch_related("systems")
    organised = Task.objects.all() if roles.is_administrator(user) else user.organised_tasks.all()
    return {
        "username": user.get_username(),
        "name": user.get_full_name(),
        "token": token,
        "teams": [own_team(team) for team in teams.order_by("task__slug")],
        "organised_tasks": [task.slug for task in organised] if roles.may_organise(user) else [],
    }


def own_team(team: Team) -> dict[str, Any]:
    return {
        "id": team.public_id,
        "name": team.name,
        "task": team.task.slug,
        "registration": team.registration,
        "systems": [
            {
                "id": system.public_id,
                "name": system.name,
                "is_primary": system.is_primary,
                "is_withdrawn": system.withdrawn_at is not None,
            }
            for system in team.systems.all()
        ],
    }


@router.delete("/me/token", response={204: None}, auth=MAY_READ, summary="Revoke the token of this request")
def revoke_own_token(request: HttpRequest) -> HttpResponse:
    tokens.revoke(token_of(request), at=clock.database_now())
    return HttpResponse(status=204)
