"""Change the opening and closing time of a phase, with a reason, and announce the change if requested.

In: the phase and its new times. Out: the phase. A change is refused if it would make accepted uploads late,
show scores on a test set that is still blind for some team, or reopen a test whose results or gold are
public. A closing time in the past needs an explicit confirmation, because it stops uploads at once.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.announce import announce
from sharedtask.competition.known_answers import gold_is_released
from sharedtask.competition.models import Phase
from sharedtask.competition.request_standings import request_standings
from sharedtask.competition.task_access import is_published
from sharedtask.core import clock
from sharedtask.core.clock import format_time
from sharedtask.core.errors import Refusal


def change_times(
    *,
    phase: Phase,
    opens_at: datetime,
    closes_at: datetime | None,
    reason: str,
    by: User,
    announce_change: bool,
    allow_past: bool = False,
    at: datetime | None = None,
) -> Phase:
    reason = reasons.required(reason)
    with transaction.atomic():
        at = at or clock.database_now()
        phase = Phase.objects.select_for_update(of=("self",)).select_related("task").get(pk=phase.pk)
        check_times(phase, opens_at, closes_at)
        refuse_to_invalidate_runs(phase, opens_at, closes_at, at=at)
        refuse_score_leak(phase, opens_at, closes_at, at=at)
        if closes_at is not None and closes_at <= at and not allow_past:
            raise Refusal(
                "closes-in-the-past",
                f"{format_time(closes_at)} is in the past: uploads would stop at once. Please confirm this.",
                found=format_time(closes_at),
                expected=f"after {format_time(at)}",
            )
        before = {"opens_at": phase.opens_at, "closes_at": phase.closes_at}
        phase.opens_at, phase.closes_at = opens_at, closes_at
        phase.save(update_fields=["opens_at", "closes_at"])
        # Which runs were in time may have changed, and with it which of them are official.
        request_standings(phase.pk, at=at)
        record_change(phase, before, reason=reason, by=by, at=at)
        if announce_change:
            subject = f"New times for {phase.title}"
            text = f"{describe_times(phase)} {reason}"
            announce(task=phase.task, by=by, subject=subject, text=text, at=at)
    return phase


def record_change(
    phase: Phase, before: dict[str, datetime | None], *, reason: str, by: User, at: datetime
) -> None:
    after = {"opens_at": phase.opens_at, "closes_at": phase.closes_at}
    changes = {
        name: [isoformat(before[name]), isoformat(after[name])]
        for name in after
        if before[name] != after[name]
    }
    audit.write(
        task=phase.task,
        who=by,
        action="change-times",
        subject=phase.title,
        reason=reason,
        details={"phase": phase.code, **changes},
        at=at,
    )


def check_times(phase: Phase, opens_at: datetime, closes_at: datetime | None) -> None:
    if (opens_at, closes_at) == (phase.opens_at, phase.closes_at):
        raise Refusal("times-unchanged", f"{phase.title} already has these times.")
    if closes_at is not None and closes_at <= opens_at:
        raise Refusal("closes-before-it-opens", f"{phase.title} must close after it opens.")
    extended = [extension.closes_at for extension in phase.extensions.all() if extension.team_id is None]
    if closes_at is not None and extended and max(extended) > closes_at:
        raise Refusal(
            "extension-in-force",
            f"{phase.title} was extended for all teams until {format_time(max(extended))}. "
            "It cannot close earlier.",
            found=format_time(closes_at),
            expected=f"no earlier than {format_time(max(extended))}",
        )


def refuse_to_invalidate_runs(
    phase: Phase, opens_at: datetime, closes_at: datetime | None, *, at: datetime
) -> None:
    """Runs that were in time stay in time, and a test whose answers are known is not reopened."""
    if phase.runs.filter(received_at__lt=opens_at).exists():
        raise Refusal(
            "runs-before-opening", f"{phase.title} already has runs received before {format_time(opens_at)}."
        )
    if closes_at is not None and would_be_late(phase, closes_at):
        raise Refusal(
            "runs-after-closing",
            f"{phase.title} has runs that were received in time and would become late. "
            "Reject them first, with a reason.",
        )
    if closes_at is None or closes_at > at:
        refuse_if_answers_known(phase, at=at)


def refuse_if_answers_known(phase: Phase, *, at: datetime) -> None:
    """A test whose results or gold are public takes no more official runs from any team."""
    if not phase.is_official:
        return
    if is_published(phase, at=at):
        raise Refusal(
            "results-published", f"The results of {phase.title} have been published, so it stays closed."
        )
    if gold_is_released(phase):
        raise Refusal("gold-released", f"Gold of {phase.title} has been released, so it stays closed.")


def would_be_late(phase: Phase, closes_at: datetime) -> bool:
    """Whether a run that counts was received after this time and not within an extension of its team."""
    extended: dict[int | None, datetime] = {}
    for extension in phase.extensions.all():
        team_id, until = extension.team_id, extension.closes_at
        extended[team_id] = max(until, extended.get(team_id, until))
    late = phase.runs.counting().uploaded().filter(received_at__gte=closes_at)
    return any(run.received_at >= extended.get(run.team_id, closes_at) for run in late)


def refuse_score_leak(phase: Phase, opens_at: datetime, closes_at: datetime | None, *, at: datetime) -> None:
    """While a test set is blind for any team, no phase may show scores on it."""
    hidden = phase.test_sets.filter(gold_in_force__released_at=None)
    others = phase.task.phases.filter(test_sets__in=hidden).exclude(pk=phase.pk).distinct()
    if phase.feedback == Phase.Feedback.SCORES:
        for blind in others.filter(feedback=Phase.Feedback.VALIDITY).prefetch_related("extensions"):
            last = blind.last_closing_time()
            if (last is None or opens_at < last) and not is_published(blind, at=at):
                raise leak(phase, blind)
        return
    if is_published(phase, at=at):
        return
    for showing in others.filter(feedback=Phase.Feedback.SCORES):
        if closes_at is None or showing.opens_at < closes_at:
            raise leak(showing, phase)


def leak(showing: Phase, blind: Phase) -> Refusal:
    return Refusal(
        "scores-would-leak",
        f"{showing.title} would show scores on test sets that are still blind in {blind.title}.",
        expected=f"{showing.title} opens after {blind.title} has closed for all teams",
    )


def describe_times(phase: Phase) -> str:
    closes = f"closes at {format_time(phase.closes_at)}" if phase.closes_at else "has no closing time"
    return f"{phase.title} opens at {format_time(phase.opens_at)} and {closes}."


def isoformat(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
