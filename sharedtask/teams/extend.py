"""Extend a phase, for all teams or for one, with the reason for it.

In: the phase, the new closing time, and a team or None for all. Out: an `Extension`. An extension for all
teams is announced; an extension for one team is sent to its members. The original closing time is not
overwritten, and an extension never makes a phase shorter.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.announce import announce
from sharedtask.competition.change_times import refuse_if_answers_known
from sharedtask.competition.models import Phase
from sharedtask.competition.task_access import is_published
from sharedtask.core import clock
from sharedtask.core.clock import format_time
from sharedtask.core.errors import Refusal
from sharedtask.teams.models import Extension, Team


def extend(
    *,
    phase: Phase,
    closes_at: datetime,
    reason: str,
    by: User,
    team: Team | None = None,
    at: datetime | None = None,
) -> Extension:
    reason = reasons.required(reason)
    with transaction.atomic():
        at = at or clock.database_now()
        phase = Phase.objects.select_for_update().select_related("task").get(pk=phase.pk)
        check_extension(phase, closes_at, team, at=at)
        extension = Extension.objects.create(
            phase=phase,
            team=team,
            closes_at=closes_at,
            reason=reason,
            granted_by=by,
            granted_at=at,
        )
        audit.write(
            task=phase.task,
            who=by,
            action="extend-phase",
            subject=f"{phase.title} for {team.name if team else 'all teams'}",
            reason=reason,
            details={
                "phase": phase.code,
                "team": team.name if team else None,
                "closes_at": closes_at.isoformat(),
            },
            at=at,
        )
        if team is None:
            announce(
                task=phase.task,
                by=by,
                subject=f"{phase.title} is open until {format_time(closes_at)}",
                text=f"{phase.title} now closes at {format_time(closes_at)}, for all teams. {reason}",
                at=at,
            )
    return extension


def check_extension(phase: Phase, closes_at: datetime, team: Team | None, *, at: datetime) -> None:
    if team is not None and team.task_id != phase.task_id:
        raise Refusal("team-of-another-task", "This team belongs to another task.")
    current = phase.closing_time(team)
    if current is None:
        raise Refusal("phase-has-no-closing-time", f"{phase.title} has no closing time to extend.")
    if closes_at <= current:
        raise Refusal(
            "extension-not-later",
            f"{phase.title} already closes at {format_time(current)}; an extension must be later.",
            found=format_time(closes_at),
            expected=f"after {format_time(current)}",
        )
    refuse_if_answers_known(phase, at=at)
    if phase.feedback == Phase.Feedback.VALIDITY and not is_published(phase, at=at):
        refuse_score_leak(phase, closes_at)


def refuse_score_leak(phase: Phase, closes_at: datetime) -> None:
    """While a test set is blind for any team, no other phase may show scores on it."""
    hidden = phase.test_sets.filter(gold_in_force__released_at=None)
    leaking = phase.task.phases.filter(
        feedback=Phase.Feedback.SCORES, opens_at__lt=closes_at, test_sets__in=hidden
    )
    other = leaking.exclude(pk=phase.pk).order_by("opens_at").first()
    if other is not None:
        raise Refusal(
            "scores-would-leak",
            f"{other.title} shows scores on the same test sets from {format_time(other.opens_at)}. "
            "Postpone that phase first.",
            expected=f"no later than {format_time(other.opens_at)}",
        )
