"""How a team describes its systems, and which of them is the primary one."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase
from sharedtask.core.errors import Refusal
from sharedtask.teams.models import System, Team
from sharedtask.teams.names import clean_name

MAX_SYSTEMS = 20


def add_system(*, team: Team, by: User, at: datetime, name: str, **description: Any) -> System:
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=team.pk)
        if team.systems.count() >= MAX_SYSTEMS:
            raise Refusal("too-many-systems", f"A team can have at most {MAX_SYSTEMS} systems.")
        return save_system(System(team=team, created_at=at), name=name, **description)


def describe(*, system: System, by: User, at: datetime, name: str, **description: Any) -> System:
    return save_system(system, name=name, **description)


def save_system(
    system: System,
    *,
    name: str,
    description: str = "",
    paper_url: str = "",
    code_url: str = "",
    questionnaire: dict[str, Any] | None = None,
) -> System:
    system.name = clean_name(name)
    system.description = description
    system.paper_url = paper_url
    system.code_url = code_url
    system.questionnaire = questionnaire or {}
    try:
        with transaction.atomic():
            system.save()
    except IntegrityError:
        raise Refusal(
            "system-name-taken", f"Another system of your team already has the name {system.name}."
        ) from None
    return system


def make_primary(*, system: System, by: User, at: datetime) -> None:
    """Refused once a test phase has closed: the official run must be chosen before any score is known."""
    with transaction.atomic():
        team = Team.objects.select_for_update().select_related("task").get(pk=system.team_id)
        for phase in team.task.phases.filter(kind=Phase.Kind.TEST).prefetch_related("extensions"):
            closes_at = phase.closing_time(team)
            if closes_at is not None and closes_at <= at:
                raise Refusal(
                    "primary-cannot-change",
                    f"{phase.title} has closed, so your primary system can no longer be changed.",
                )
        if system.withdrawn_at is not None:
            raise Refusal("system-withdrawn", "A withdrawn system cannot be the primary system.")
        team.systems.exclude(pk=system.pk).update(is_primary=False)
        team.systems.filter(pk=system.pk).update(is_primary=True)
