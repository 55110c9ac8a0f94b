"""An organiser confirms or declines the registration of a team. Its members are notified."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.urls import reverse

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.teams.models import Notice, Team
from sharedtask.teams.notices.send import members_of, send_notices


def decide(*, team: Team, decision: str, by: User, reason: str = "", at: datetime | None = None) -> None:
    """`decision` is `confirm` or `decline`, the values of the buttons on the page."""
    action = confirm if decision == "confirm" else decline
    action(team=team, by=by, at=at or clock.database_now(), reason=reason)


def confirm_teams(*, teams: Sequence[Team], by: User, at: datetime | None = None) -> int:
    """All of them, or none if one cannot be confirmed. Returns how many there were."""
    at = at or clock.database_now()
    with transaction.atomic():
        # In a fixed order, because each of them is locked.
        for team in sorted(teams, key=lambda team: team.pk):
            confirm(team=team, by=by, at=at)
    return len(teams)


def confirm(*, team: Team, by: User, at: datetime, reason: str = "") -> None:
    record_decision(team, Team.Registration.CONFIRMED, by=by, at=at, reason=reason)


def decline(*, team: Team, by: User, at: datetime, reason: str) -> None:
    """The reason is shown to the team, so that it can fix the problem and request registration again."""
    if not reasons.optional(reason):
        raise Refusal("decline-without-reason", "Please give a reason; it is shown to the team.")
    record_decision(team, Team.Registration.DECLINED, by=by, at=at, reason=reason)


def record_decision(team: Team, decision: Team.Registration, *, by: User, at: datetime, reason: str) -> None:
    reason = reasons.optional(reason)
    with transaction.atomic():
        team = Team.objects.select_for_update().select_related("task").get(pk=team.pk)
        if team.registration == decision:
            return
        if decision == Team.Registration.CONFIRMED and team.rules_version == 0:
            raise Refusal(
                "rules-not-accepted", f"{team.name} has not accepted the rules and cannot be confirmed yet."
            )
        before = team.registration
        team.registration = decision
        team.registration_reason = reason if decision == Team.Registration.DECLINED else ""
        team.save(update_fields=["registration", "registration_reason"])
        audit.write(
            task=team.task,
            who=by,
            action="confirm-team" if decision == Team.Registration.CONFIRMED else "decline-team",
            subject=team.name,
            reason=reason,
            details={"team": team.public_id, "before": before, "rules_version": team.rules_version},
            at=at,
        )
        send_notices(
            people=members_of(team),
            task=team.task,
            kind=Notice.Kind.REGISTRATION,
            event=f"registration-decided:{team.public_id}:{at.isoformat()}",
            text=f"The registration of {team.name} for {team.task.title} was {decision}.",
            path=reverse("team", args=[team.task.slug]),
            at=at,
        )
