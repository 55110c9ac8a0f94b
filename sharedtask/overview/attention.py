"""What needs the attention of a team, most urgent first, and its next step.

In: the team's `Dashboard` and a time. Out: `Concern`s. There are no database queries here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse

from sharedtask.overview.latest_runs import RunSummary
from sharedtask.overview.team_page import Dashboard, PhaseSummary
from sharedtask.submissions.models import Run
from sharedtask.submissions.quota import Quota
from sharedtask.teams.models import Team

MESSAGE_AGE_LIMIT = timedelta(days=14)


@dataclass(frozen=True, kw_only=True)
class Concern:
    sentence: str
    address: str = ""
    action: str = ""


def attention(board: Dashboard, *, at: datetime) -> list[Concern]:
    return [
        *registration_concerns(board),
        *run_concerns(board),
        *server_errors(board),
        *phase_concerns(board),
        *message_concerns(board, at=at),
        *system_concerns(board),
    ]


def next_step(board: Dashboard) -> Concern:
    """What to do now, or that there is nothing to do."""
    upload = reverse("upload", args=[board.task.slug])
    urgent = [*registration_concerns(board), *run_concerns(board)]
    if urgent:
        return urgent[0]
    usable = [line for line in board.open_phases if line.quota.left_today != 0]
    # An open phase with a deadline comes before one without.
    first = board.deadline or next(iter(usable), None)
    if first is not None and first in usable and not has_run(board, first):
        sentence = f"Upload your first run in {first.phase.title}."
        return Concern(sentence=sentence, address=upload, action="Upload a run")
    if usable:
        sentence = "All done. You can upload more runs while a phase is open."
        return Concern(sentence=sentence, address=upload, action="Upload another run")
    if board.open_phases:
        quotas = [line.quota for line in board.open_phases]
        return Concern(sentence=f"Your quota is {used_up(quotas)}.")
    if board.to_come is not None:
        return Concern(sentence=f"Nothing to do until {board.to_come.phase.title} opens.")
    return Concern(sentence="No phase is open or scheduled. Thank you for taking part.")


def registration_concerns(board: Dashboard) -> Iterator[Concern]:
    team = board.team
    if team.registration == Team.Registration.DECLINED:
        yield Concern(sentence=f"The organisers declined your registration: {team.registration_reason}")
    if not team.has_accepted_rules:
        version = board.task.rules_version
        yield Concern(sentence=f"The rules have changed (version {version}). Please read and accept them.")
    blind = any(line.phase.needs_registration for line in board.phases)
    if team.registration == Team.Registration.REQUESTED and blind:
        sentence = (
            "The organisers have not confirmed your registration yet. Blind phases require confirmation."
        )
        yield Concern(sentence=sentence)


def run_concerns(board: Dashboard) -> Iterator[Concern]:
    for summary in latest_of_open_phases(board):
        run, address = summary.run, summary.run.get_absolute_url()
        if summary.state == Run.State.REFUSED:
            sentence = f"Your latest run (run {run.number}) was refused. See its page for the reason."
            yield Concern(sentence=sentence, address=address, action="See the reason")
        elif summary.invalid and run.status == Run.Status.COUNTS:
            count = summary.invalid
            files, them = ("file", "it") if count == 1 else ("files", "them")
            sentence = f"Run {run.number} has {count} invalid {files}. Correct {them} and amend the run."
            yield Concern(sentence=sentence, address=address, action="See the errors")
        elif summary.released_later and run.status == Run.Status.COUNTS:
            upload = reverse("upload", args=[board.task.slug])
            yield Concern(
                sentence=released_later_sentence(run, summary.released_later),
                address=f"{upload}?amends={run.public_id}",
                action="Amend the run",
            )


def released_later_sentence(run: Run, number: int) -> str:
    subject, verb = ("1 test set was", "is") if number == 1 else (f"{number} test sets were", "are")
    return f"{subject} released after run {run.number} had arrived and {verb} missing in it. Amend the run."


def server_errors(board: Dashboard) -> Iterator[Concern]:
    """For information; the team has nothing to do."""
    for summary in latest_of_open_phases(board):
        if summary.state == Run.State.FAILED:
            sentence = (
                f"The check of run {summary.run.number} failed because of a server error. "
                "It does not count against your quota."
            )
            yield Concern(sentence=sentence, address=summary.run.get_absolute_url(), action="View the run")


def latest_of_open_phases(board: Dashboard) -> Iterable[RunSummary]:
    """The latest run of each open phase; earlier runs are assumed to be superseded."""
    current = {line.phase.pk for line in board.open_phases}
    latest = {
        summary.run.phase_id: summary for summary in reversed(board.runs) if summary.run.phase_id in current
    }
    return latest.values()


def phase_concerns(board: Dashboard) -> Iterator[Concern]:
    for line in board.open_phases:
        if line.phase.is_official and line.official is None:
            yield Concern(
                sentence=f"You have no official run in {line.phase.title} yet.",
                address=reverse("upload", args=[board.task.slug]),
                action="Upload a run",
            )
        if line.quota.left_today == 0:
            yield Concern(sentence=f"Your quota in {line.phase.title} is {used_up([line.quota])}.")


def used_up(quotas: Iterable[Quota]) -> str:
    """“For now” only if the team can upload again before a phase closes."""
    return "used up for now" if any(quota.next_unit_at for quota in quotas) else "used up"


def message_concerns(board: Dashboard, *, at: datetime) -> Iterator[Concern]:
    for message in board.messages:
        if message.released_at is not None and message.released_at > at - MESSAGE_AGE_LIMIT:
            yield Concern(
                sentence=f"The organisers sent you a message about run {message.run.number}.",
                address=message.run.get_absolute_url(),
                action="Read the message",
            )


def system_concerns(board: Dashboard) -> Iterator[Concern]:
    for system in board.systems:
        if not system.description and not system.questionnaire and system.withdrawn_at is None:
            yield Concern(
                sentence=f"{system.name} has no description yet. Please describe it.",
                address=reverse("system-edit", args=[board.task.slug, system.public_id]),
                action="Describe the system",
            )


def has_run(board: Dashboard, line: PhaseSummary) -> bool:
    return line.quota.total > 0 or any(summary.run.phase_id == line.phase.pk for summary in board.runs)
