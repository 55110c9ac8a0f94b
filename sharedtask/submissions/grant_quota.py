"""Organisers grant teams runs beyond their quota in one phase, with a reason."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.models import Phase
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.teams.models import ExtraRuns, Team

MAX_EXTRA_RUNS = 1000


def grant_to_teams(
    *, phase: Phase, teams: Sequence[Team], runs: int, by: User, reason: str, at: datetime | None = None
) -> int:
    """The same to each of them, or to none. Returns how many teams there were."""
    if not teams:
        raise Refusal("invalid-quota-grant", "Please choose at least one team.")
    with transaction.atomic():
        # In a fixed order, because each of them is locked.
        for team in sorted(teams, key=lambda team: team.pk):
            grant_quota(phase=phase, team=team, runs=runs, by=by, reason=reason, at=at)
    return len(teams)


def grant_quota(
    *, phase: Phase, team: Team, runs: int, by: User, reason: str, at: datetime | None = None
) -> int:
    """Adds `runs` to the extra runs granted in this phase before; a negative number takes unused ones back.

    Returns the number of extra runs after the change.
    """
    reason = reasons.required(reason)
    with transaction.atomic():
        # The same lock as for an upload: the quota is not counted while it changes.
        team = Team.objects.select_for_update().get(pk=team.pk)
        granted = ExtraRuns.objects.filter(phase=phase, team=team).first()
        before = granted.number if granted else 0
        after = before + runs
        if runs == 0 or not 0 <= after <= MAX_EXTRA_RUNS:
            raise Refusal(
                "invalid-quota-grant",
                f"{team.name} has {before} extra runs in {phase.title}; this change would leave {after}.",
                expected=f"between 0 and {MAX_EXTRA_RUNS} extra runs after the change",
            )
        ExtraRuns.objects.update_or_create(phase=phase, team=team, defaults={"number": after})
        audit.write(
            task=team.task,
            who=by,
            action="grant-quota",
            subject=team,
            reason=reason,
            details={"team": team.public_id, "phase": phase.code, "before": before, "after": after},
            at=at or clock.database_now(),
        )
    return after
