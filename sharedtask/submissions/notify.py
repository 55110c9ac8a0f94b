"""What a team is told of its runs. Each is called in the transaction that changes the run.

Everything said here is what the run's page says to a member at that moment: in a blind phase the verdicts,
which follow from the upload and the released inputs alone, and nothing of how scoring goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db.models import Count

from sharedtask.competition import task_access
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Message, Run, RunFile
from sharedtask.teams.models import Notice
from sharedtask.teams.notices.event import NoticeEvent
from sharedtask.teams.notices.send import members_of, send_notices
from sharedtask.teams.notices.task_events import WINDOW


def tell_received(run: Run, *, at: datetime) -> None:
    tell_team(
        run,
        Notice.Kind.RECEIVED,
        f"Run {run.number} of {run.team.name} was received: {run.filename} ({run.phase.title}).",
        event=f"run-received:{run.public_id}",
        at=at,
    )


def tell_checked(run: Run, *, at: datetime) -> None:
    counted = dict(run.files.order_by().values_list("state").annotate(Count("pk")))
    verdicts = [
        f"{counted[state]} {state}"
        for state in (RunFile.State.VALID, RunFile.State.INVALID, RunFile.State.MISSING)
        if counted.get(state)
    ]
    tell_team(
        run,
        Notice.Kind.CHECKED,
        f"Run {run.number} of {run.team.name} was checked: {', '.join(verdicts) or 'no files'}.",
        event=f"run-checked:{run.public_id}",
        at=at,
    )


def tell_refused(run: Run, *, at: datetime) -> None:
    tell_team(
        run,
        Notice.Kind.FAILED,
        f"Run {run.number} of {run.team.name} was refused; its page says why.",
        event=f"run-refused:{run.public_id}",
        at=at,
    )


def tell_failed(run: Run, *, at: datetime) -> None:
    """Only where the team may know: that scoring of a blind run failed depends on gold."""
    shown = run_access.state_shown(run, scores=not task_access.is_blind(run.phase, at=at))
    if shown != Run.State.FAILED:
        return
    tell_team(
        run,
        Notice.Kind.FAILED,
        f"Run {run.number} of {run.team.name} failed on our side. Nothing is lost; it is not your fault.",
        event=f"run-failed:{run.public_id}",
        at=at,
    )


def tell_released(message: Message, *, at: datetime) -> None:
    fact = released_message(message)
    tell_team(message.run, fact.kind, fact.text, event=fact.event, at=at)


def released_messages(at: datetime) -> Iterator[NoticeEvent]:
    """Normally told by whoever releases; the sweep finds here what was released any other way."""
    released = Message.objects.filter(released_at__lte=at, released_at__gt=at - WINDOW)
    return map(released_message, released.select_related("run__team", "run__task"))


def released_message(message: Message) -> NoticeEvent:
    """The text itself stays on the site, where it can be taken back or corrected."""
    run = message.run
    return NoticeEvent(
        task=run.task,
        kind=Notice.Kind.MESSAGE,
        event=f"message:{message.public_id}",
        text=f"The organisers released a message about run {run.number} of {run.team.name}.",
        path=run.get_absolute_url(),
        people=members_of(run.team),
    )


def tell_decided(run: Run, what: str, *, at: datetime) -> None:
    """What organisers did with a run. The moment tells apart what they did several times."""
    tell_team(
        run,
        Notice.Kind.DECISION,
        f"Run {run.number} of {run.team.name} was {what} by the organisers; its page says more.",
        event=f"run-decided:{run.public_id}:{at.isoformat()}",
        at=at,
    )


def tell_combined(run: Run, parts: Sequence[Run], *, at: datetime) -> None:
    numbers = ", ".join(str(part.number) for part in parts)
    tell_team(
        run,
        Notice.Kind.DECISION,
        f"The organisers combined runs {numbers} of {run.team.name}, in this order, into run {run.number}.",
        event=f"run-combined:{run.public_id}",
        at=at,
    )


def tell_team(run: Run, kind: Notice.Kind, text: str, *, event: str, at: datetime) -> None:
    send_notices(
        people=members_of(run.team),
        task=run.task,
        kind=kind,
        event=event,
        text=text,
        path=run.get_absolute_url(),
        at=at,
    )
