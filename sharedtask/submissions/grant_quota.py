"""Organisers grant a team runs beyond its quota, with a reason."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.teams.models import Team

MAX_EXTRA_RUNS = 1000


def grant_quota(*, team: Team, runs: int, by: User, reason: str, at: datetime | None = None) -> Team:
    """Adds `runs` to the extra runs granted before; a negative number takes unused ones back."""
    reason = reasons.required(reason)
    with transaction.atomic():
        # The same lock as for an upload: the quota is not counted while it changes.
        team = Team.objects.select_for_update().get(pk=team.pk)
        before, after = team.extra_runs, team.extra_runs + runs
        if runs == 0 or not 0 <= after <= MAX_EXTRA_RUNS:
            raise Refusal(
                "quota-grant-unfit",
                f"{team.name} has {before} extra runs; a change of {runs:+} would give {after}.",
                expected=f"between 0 and {MAX_EXTRA_RUNS} extra runs after the change",
            )
        Team.objects.filter(pk=team.pk).update(extra_runs=after)
        audit.write(
            task=team.task,
            who=by,
            action="grant-quota",
            subject=team,
            reason=reason,
            details={"team": team.public_id, "before": before, "after": after},
            at=at or clock.database_now(),
        )
    team.extra_runs = after
    return team
