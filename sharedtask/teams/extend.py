"""Extend a phase, for all teams or for one, with the reason for it.

In: the phase, the new closing time, and for whom. Out: an `Extension`. One for all is announced to all; one
for a single team is told to that team. The earlier closing time is not overwritten, and an extension never
makes a phase shorter.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.announce import announce
from sharedtask.competition.change_times import moment, refuse_known_answers
from sharedtask.competition.models import Phase
from sharedtask.core import clock
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
        refuse_unfit(phase, closes_at, team)
        extension = Extension.objects.create(
            phase=phase,
            team=team,
            closes_at=closes_at,
            reason=reason,
            granted_by=by,
            granted_at=at,
        )
        whom = team.name if team else "all teams"
        audit.write(
            task=phase.task,
            who=by,
            action="extend-phase",
            subject=f"{phase.title} for {whom}",
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
                subject=f"{phase.title} is open until {moment(closes_at)}",
                text=f"{phase.title} now closes at {moment(closes_at)}, for all teams. {reason}",
                at=at,
            )
    return extension


def refuse_unfit(phase: Phase, closes_at: datetime, team: Team | None) -> None:
    if team is not None and team.task_id != phase.task_id:
        raise Refusal("team-of-another-task", "This team takes part in another task.")
    before = phase.closing_time(team)
    if before is None:
        raise Refusal("phase-stays-open", f"{phase.title} has no closing time that could be extended.")
    if closes_at <= before:
        raise Refusal(
            "not-later",
            f"{phase.title} closes at {moment(before)} already; an extension has to be later.",
            found=moment(closes_at),
            expected=f"after {moment(before)}",
        )
    refuse_known_answers(phase)
    if phase.feedback == Phase.Feedback.VALIDITY and phase.task.results_published_at is None:
        refuse_a_leak(phase, closes_at)


def refuse_a_leak(phase: Phase, closes_at: datetime) -> None:
    """While a test set is blind for anybody, no other phase may show scores on it."""
    hidden = phase.test_sets.filter(gold_in_force__released_at=None)
    leaking = phase.task.phases.filter(
        feedback=Phase.Feedback.SCORES, opens_at__lt=closes_at, test_sets__in=hidden
    )
    other = leaking.exclude(pk=phase.pk).order_by("opens_at").first()
    if other is not None:
        raise Refusal(
            "scores-would-leak",
            f"{other.title} shows scores on the same test sets from {moment(other.opens_at)} on. "
            "Put it off first, in the task's folder.",
            expected=f"at the latest {moment(other.opens_at)}",
        )
