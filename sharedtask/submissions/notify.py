"""Notices to a team about its runs. Call each function in the transaction that changes the run.

A notice says no more than the run's page shows a member at that time: in a blind phase the verdicts, which
depend on the upload and the released inputs only, and nothing about scoring.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db.models import Count

from sharedtask.competition import task_access
from sharedtask.competition.metrics import main_metrics, presentation_of
from sharedtask.submissions import run_access
from sharedtask.submissions.average import average
from sharedtask.submissions.models import Message, Run, RunFile, Score
from sharedtask.teams.models import Notice
from sharedtask.teams.notices.event import NoticeEvent
from sharedtask.teams.notices.send import members_of, send_notices
from sharedtask.teams.notices.task_events import WINDOW


def send_received_notice(run: Run, *, at: datetime) -> None:
    send(
        run,
        Notice.Kind.RECEIVED,
        f"Run {run.number} of {run.team.name} was received: {run.filename} ({run.phase.title}).",
        event=f"run-received:{run.public_id}",
        at=at,
    )


def send_checked_notice(run: Run, *, at: datetime) -> None:
    """By e-mail only in a blind phase; elsewhere the e-mail about the scores says the same and more."""
    if run.is_trained_here:
        return
    send(
        run,
        Notice.Kind.CHECKED,
        f"Run {run.number} of {run.team.name} was checked: {verdicts_of(run)}.",
        event=f"run-checked:{run.public_id}",
        at=at,
        mail=task_access.is_blind(run.phase, at=at),
    )


def send_scored_notice(run: Run, *, at: datetime) -> None:
    """Only in phases that show scores. A series that the server makes has one notice at its own end."""
    if run.is_trained_here or task_access.is_blind(run.phase, at=at):
        return
    send(
        run,
        Notice.Kind.SCORED,
        f"Run {run.number} of {run.team.name} was scored: {figures_of(run)} ({verdicts_of(run)}).",
        event=f"run-scored:{run.public_id}",
        at=at,
    )


def verdicts_of(run: Run) -> str:
    counts = dict(run.files.order_by().values_list("state").annotate(Count("pk")))
    verdicts = [
        f"{counts[state]} {state}"
        for state in (RunFile.State.VALID, RunFile.State.INVALID, RunFile.State.MISSING)
        if counts.get(state)
    ]
    return ", ".join(verdicts) or "no files"


def figures_of(run: Run) -> str:
    """The averages of the main metrics, as printed."""
    done = Score.objects.filter(file__run=run).done().in_force()
    counts = dict(done.values_list("file__test_set__code", "counts"))
    test_sets = [file.test_set for file in run.files.select_related("test_set")]
    averages = average(run.task, test_sets, counts, metrics=main_metrics(run.task, run.track))
    return ", ".join(
        f"{name} {presentation_of(run.task, name).text(averages.get(name, 0.0))}"
        for name in main_metrics(run.task, run.track)
    )


def send_refused_notice(run: Run, *, at: datetime) -> None:
    send(
        run,
        Notice.Kind.FAILED,
        f"Run {run.number} of {run.team.name} was refused. See its page for the reason.",
        event=f"run-refused:{run.public_id}",
        at=at,
    )


def send_failed_notice(run: Run, *, at: datetime) -> None:
    """Only if the team may know: whether scoring of a blind run failed depends on gold."""
    state = run_access.visible_state(run, scores=not task_access.is_blind(run.phase, at=at))
    if state != Run.State.FAILED:
        return
    send(
        run,
        Notice.Kind.FAILED,
        f"Run {run.number} of {run.team.name} failed because of a server error. Your upload is safe.",
        event=f"run-failed:{run.public_id}",
        at=at,
    )


def send_message_notice(message: Message, *, at: datetime) -> None:
    fact = message_fact(message)
    send(message.run, fact.kind, fact.text, event=fact.event, at=at)


def released_messages(at: datetime) -> Iterator[NoticeEvent]:
    """For the sweep: releasing sends the notice at once; this finds messages released in another way."""
    released = Message.objects.filter(released_at__lte=at, released_at__gt=at - WINDOW)
    return map(message_fact, released.select_related("run__team", "run__task"))


def message_fact(message: Message) -> NoticeEvent:
    """The notice does not quote the text, which stays on the site."""
    run = message.run
    return NoticeEvent(
        task=run.task,
        kind=Notice.Kind.MESSAGE,
        event=f"message:{message.public_id}",
        text=f"The organisers have sent a message about run {run.number} of {run.team.name}.",
        path=run.get_absolute_url(),
        people=members_of(run.team),
    )


def send_decision_notice(run: Run, decision: str, *, at: datetime) -> None:
    """What organisers did with a run. The time in `event` distinguishes repeated decisions."""
    send(
        run,
        Notice.Kind.DECISION,
        f"Run {run.number} of {run.team.name} was {decision} by the organisers. See its page for details.",
        event=f"run-decided:{run.public_id}:{at.isoformat()}",
        at=at,
    )


def send_combined_notice(run: Run, parts: Sequence[Run], *, at: datetime) -> None:
    numbers = ", ".join(str(part.number) for part in parts)
    send(
        run,
        Notice.Kind.DECISION,
        f"The organisers combined runs {numbers} of {run.team.name}, in this order, into run {run.number}.",
        event=f"run-combined:{run.public_id}",
        at=at,
    )


def send(run: Run, kind: Notice.Kind, text: str, *, event: str, at: datetime, mail: bool = True) -> None:
    send_notices(
        people=members_of(run.team),
        task=run.task,
        kind=kind,
        event=event,
        text=text,
        path=run.get_absolute_url(),
        at=at,
        mail=mail,
    )
