"""Organisers grant the software of a team more resources, with a reason."""

from __future__ import annotations

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.core import clock
from sharedtask.software.models import ResourceGrant
from sharedtask.teams.models import Team


def grant_resources(
    *,
    team: Team,
    cpus: int | None,
    memory_megabytes: int | None,
    minutes: int | None,
    by: User,
    reason: str,
) -> ResourceGrant:
    """It replaces what was granted before, for executions that are requested from now on."""
    reason = reasons.required(reason)
    values = {"cpus": cpus, "memory_megabytes": memory_megabytes, "minutes": minutes}
    at = clock.database_now()
    with transaction.atomic():
        audit.write(
            task=team.task,
            who=by,
            action="grant-resources",
            subject=team,
            reason=reason,
            details={"team": team.public_id, **values},
            at=at,
        )
        return ResourceGrant.objects.create(team=team, reason=reason, granted_by=by, granted_at=at, **values)
