"""Change when a phase opens and closes, with the reason for it, and tell everybody if the organiser wants to.

In: the phase and its new times. Out: the phase. Refused is what would take back uploads that were let in,
show scores on a set that is still blind for somebody, or open a test again whose results or gold are out.
Closing in the past has to be meant: it cuts off whoever is about to upload.
"""

from __future__ import annotations

from datetime import UTC, datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.announce import announce
from sharedtask.competition.known_answers import gold_is_released
from sharedtask.competition.models import Phase
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock
from sharedtask.core.errors import Refusal


def change_times(
    *,
    phase: Phase,
    opens_at: datetime,
    closes_at: datetime | None,
    reason: str,
    by: User,
    tells_everybody: bool,
    means_the_past: bool = False,
    at: datetime | None = None,
) -> Phase:
    reason = reasons.required(reason)
    with transaction.atomic():
        at = at or clock.database_now()
        phase = Phase.objects.select_for_update(of=("self",)).select_related("task").get(pk=phase.pk)
        refuse_unfit(phase, opens_at, closes_at)
        refuse_to_take_back(phase, opens_at, closes_at, at=at)
        refuse_a_leak(phase, opens_at, closes_at)
        if closes_at is not None and closes_at <= at and not means_the_past:
            raise Refusal(
                "closes-in-the-past",
                f"{moment(closes_at)} is past: nobody could upload any more. Say that you mean it.",
                found=moment(closes_at),
                expected=f"after {moment(at)}",
            )
        before = {"opens_at": phase.opens_at, "closes_at": phase.closes_at}
        phase.opens_at, phase.closes_at = opens_at, closes_at
        phase.save(update_fields=["opens_at", "closes_at"])
        # Which runs were in time may have changed, and with it which of them are official.
        request_standings(phase.pk, at=at)
        write_down(phase, before, reason=reason, by=by, at=at)
        if tells_everybody:
            subject = f"New times of {phase.title}"
            announce(task=phase.task, by=by, subject=subject, text=f"{told(phase)} {reason}", at=at)
    return phase


def write_down(
    phase: Phase, before: dict[str, datetime | None], *, reason: str, by: User, at: datetime
) -> None:
    after = {"opens_at": phase.opens_at, "closes_at": phase.closes_at}
    changes = {
        name: [written(before[name]), written(after[name])] for name in after if before[name] != after[name]
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


def refuse_unfit(phase: Phase, opens_at: datetime, closes_at: datetime | None) -> None:
    if (opens_at, closes_at) == (phase.opens_at, phase.closes_at):
        raise Refusal("times-unchanged", f"{phase.title} has these times already.")
    if closes_at is not None and closes_at <= opens_at:
        raise Refusal("closes-before-it-opens", f"{phase.title} has to close after it opens.")
    granted = [one.closes_at for one in phase.extensions.all() if one.team_id is None]
    if closes_at is not None and granted and max(granted) > closes_at:
        raise Refusal(
            "extension-holds",
            f"{phase.title} was extended for all teams until {moment(max(granted))}; it cannot close before.",
            found=moment(closes_at),
            expected=f"at the earliest {moment(max(granted))}",
        )


def refuse_to_take_back(
    phase: Phase, opens_at: datetime, closes_at: datetime | None, *, at: datetime
) -> None:
    """What was received in time stays so; and a test whose answers are known is not opened again."""
    if phase.runs.filter(received_at__lt=opens_at).exists():
        raise Refusal("runs-before-opening", f"{phase.title} has runs that came before {moment(opens_at)}.")
    if closes_at is not None and would_be_late(phase, closes_at):
        raise Refusal(
            "runs-after-closing",
            f"{phase.title} has runs that came in time and would be late. Reject them first, with a reason.",
        )
    if closes_at is None or closes_at > at:
        refuse_known_answers(phase)


def refuse_known_answers(phase: Phase) -> None:
    """A test whose results or gold are out takes no more official runs, of no team."""
    if not phase.is_official:
        return
    if phase.task.results_published_at is not None:
        raise Refusal("results-are-out", f"The results of {phase.title} are published; it stays closed.")
    if gold_is_released(phase):
        raise Refusal("gold-is-out", f"Gold of {phase.title} is released; it stays closed.")


def would_be_late(phase: Phase, closes_at: datetime) -> bool:
    """Whether a run that counts came after this time and without an extension of its team's own."""
    own: dict[int | None, datetime] = {}
    for one in phase.extensions.all():
        own[one.team_id] = max(one.closes_at, own.get(one.team_id, one.closes_at))
    after = phase.runs.counting().uploaded().filter(received_at__gte=closes_at)
    return any(run.received_at >= own.get(run.team_id, closes_at) for run in after)


def refuse_a_leak(phase: Phase, opens_at: datetime, closes_at: datetime | None) -> None:
    """While a test set is blind for anybody, no phase may show scores on it."""
    hidden = phase.test_sets.filter(gold_in_force__released_at=None)
    others = phase.task.phases.filter(test_sets__in=hidden).exclude(pk=phase.pk).distinct()
    if phase.task.results_published_at is not None:
        return
    if phase.feedback == Phase.Feedback.SCORES:
        for blind in others.filter(feedback=Phase.Feedback.VALIDITY).prefetch_related("extensions"):
            last = blind.last_closing_time()
            if last is None or opens_at < last:
                raise leak(phase, blind)
        return
    for open_one in others.filter(feedback=Phase.Feedback.SCORES):
        if closes_at is None or open_one.opens_at < closes_at:
            raise leak(open_one, phase)


def leak(showing: Phase, blind: Phase) -> Refusal:
    return Refusal(
        "scores-would-leak",
        f"{showing.title} would show scores on test sets that are still blind in {blind.title}.",
        expected=f"{showing.title} opens when {blind.title} has closed for everybody",
    )


def told(phase: Phase) -> str:
    closes = f"closes at {moment(phase.closes_at)}" if phase.closes_at else "has no closing time"
    return f"{phase.title} opens at {moment(phase.opens_at)} and {closes}."


def written(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
