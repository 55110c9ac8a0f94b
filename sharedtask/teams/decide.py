"""An organiser confirms or declines the registration of a team: audited, and told to its members."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.urls import reverse

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.teams.models import Notice, Team
from sharedtask.teams.notices.tell import members_of, tell


def decide(*, team: Team, decision: str, by: User, reason: str = "", at: datetime | None = None) -> None:
    """`decision` is `confirm` or `decline`, as the page's buttons have it."""
    verb = confirm if decision == "confirm" else decline
    verb(team=team, by=by, at=at or clock.database_now(), reason=reason)


def confirm(*, team: Team, by: User, at: datetime, reason: str = "") -> None:
    _decide(team, Team.Registration.CONFIRMED, by=by, at=at, reason=reason)


def decline(*, team: Team, by: User, at: datetime, reason: str) -> None:
    """The reason is shown to the team, so that it can mend what was missing and ask again."""
    if not reasons.optional(reason):
        raise Refusal("decline-without-reason", "Please give the reason; the team will read it.")
    _decide(team, Team.Registration.DECLINED, by=by, at=at, reason=reason)


def _decide(team: Team, decision: Team.Registration, *, by: User, at: datetime, reason: str) -> None:
    reason = reasons.optional(reason)
    with transaction.atomic():
        team = Team.objects.select_for_update().select_related("task").get(pk=team.pk)
        if team.registration == decision:
            return
        if decision == Team.Registration.CONFIRMED and team.rules_version == 0:
            raise Refusal(
                "rules-not-accepted", f"{team.name} has not accepted the rules and cannot be confirmed yet."
            )
        before, team.registration = team.registration, decision
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
        tell(
            people=members_of(team),
            task=team.task,
            kind=Notice.Kind.REGISTRATION,
            event=f"registration-decided:{team.public_id}:{at.isoformat()}",
            text=f"The registration of {team.name} for {team.task.title} was {decision}.",
            path=reverse("team", args=[team.task.slug]),
            at=at,
        )
