"""Organisers give a team runs beyond its quota, with a reason."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.teams.models import Team

MOST = 1000


def grant_quota(*, team: Team, runs: int, by: User, reason: str, at: datetime | None = None) -> Team:
    """`runs` are added to what was granted before; a negative number takes back what is not spent."""
    reason = reasons.required(reason)
    with transaction.atomic():
        # The lock of an upload: nobody counts while the number changes.
        team = Team.objects.select_for_update().get(pk=team.pk)
        before, after = team.extra_runs, team.extra_runs + runs
        if runs == 0 or not 0 <= after <= MOST:
            raise Refusal(
                "quota-grant-unfit",
                f"{team.name} has {before} extra runs; {runs:+} would make {after}.",
                expected=f"a change that leaves between 0 and {MOST}",
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
