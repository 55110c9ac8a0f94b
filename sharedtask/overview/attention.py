"""What a team has to look at, in sentences, the most pressing first; the first of them is its next step.

In: the team's `Dashboard` and the moment. Out: `Concern`s, and one as the next step. Nothing is asked of the
database here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse

from sharedtask.overview.latest_runs import RunLine
from sharedtask.overview.team_page import Dashboard, PhaseLine
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team

MESSAGES_STAY = timedelta(days=14)


@dataclass(frozen=True, kw_only=True)
class Concern:
    sentence: str
    address: str = ""
    action: str = ""


def attention(board: Dashboard, *, at: datetime) -> list[Concern]:
    return [
        *of_the_registration(board),
        *of_the_runs(board),
        *of_our_failures(board),
        *of_the_phases(board),
        *of_the_messages(board, at=at),
        *of_the_systems(board),
    ]


def next_step(board: Dashboard) -> Concern:
    """One sentence, whatever the state: what to do now, or that there is nothing to do."""
    upload = reverse("upload", args=[board.task.slug])
    pressing = [*of_the_registration(board), *of_the_runs(board)]
    if pressing:
        return pressing[0]
    usable = [line for line in board.open_phases if line.quota.left_today != 0]
    # A phase that stays open is no business of a team that is busy with one that closes.
    first = board.deadline or next(iter(usable), None)
    if first is not None and first in usable and not has_run(board, first):
        sentence = f"Upload your first run in {first.phase.title}."
        return Concern(sentence=sentence, address=upload, action="Upload a run")
    if usable:
        sentence = "Everything is in order. You can upload again while a phase is open."
        return Concern(sentence=sentence, address=upload, action="Upload another run")
    if board.open_phases:
        return Concern(sentence="Everything is in order. Your quota is used up for now.")
    if board.to_come is not None:
        return Concern(sentence=f"Nothing to do until {board.to_come.phase.title} opens.")
    return Concern(sentence="No phase is open or to come; thank you for taking part.")


def of_the_registration(board: Dashboard) -> Iterator[Concern]:
    team = board.team
    if team.registration == Team.Registration.DECLINED:
        yield Concern(sentence=f"The organisers declined your registration: {team.registration_reason}")
    if not team.has_accepted_rules:
        version = board.task.rules_version
        yield Concern(sentence=f"The rules are now in version {version}. Please read and accept them.")
    blind = any(line.phase.needs_registration for line in board.phases)
    if team.registration == Team.Registration.REQUESTED and blind:
        yield Concern(
            sentence="The organisers have not confirmed your registration yet; blind phases wait for it."
        )


def of_the_runs(board: Dashboard) -> Iterator[Concern]:
    for one in latest_of_open_phases(board):
        run, address = one.run, one.run.get_absolute_url()
        if one.state == Run.State.REFUSED:
            sentence = f"Your latest run, number {run.number}, is refused. Its page says why."
            yield Concern(sentence=sentence, address=address, action="Read why")
        elif one.invalid and run.status == Run.Status.COUNTS:
            files = "file is" if one.invalid == 1 else "files are"
            sentence = f"{one.invalid} {files} invalid in run {run.number}. Mend and amend."
            yield Concern(sentence=sentence, address=address, action="See the faults")


def of_our_failures(board: Dashboard) -> Iterator[Concern]:
    """Told, but nothing for the team to do."""
    for one in latest_of_open_phases(board):
        if one.state == Run.State.FAILED:
            sentence = f"The check of run {one.run.number} failed on our side. It cost you no quota."
            yield Concern(sentence=sentence, address=one.run.get_absolute_url(), action="See the run")


def latest_of_open_phases(board: Dashboard) -> Iterable[RunLine]:
    """An earlier run was followed by a better one, or so it is meant."""
    current = {line.phase.pk for line in board.open_phases}
    latest = {one.run.phase_id: one for one in reversed(board.runs) if one.run.phase_id in current}
    return latest.values()


def of_the_phases(board: Dashboard) -> Iterator[Concern]:
    for line in board.open_phases:
        if line.phase.is_official and line.official is None:
            yield Concern(
                sentence=f"You have no official run in {line.phase.title} yet.",
                address=reverse("upload", args=[board.task.slug]),
                action="Upload a run",
            )
        if line.quota.left_today == 0:
            yield Concern(sentence=f"Your quota in {line.phase.title} is used up for now.")


def of_the_messages(board: Dashboard, *, at: datetime) -> Iterator[Concern]:
    for message in board.messages:
        if message.released_at is not None and message.released_at > at - MESSAGES_STAY:
            yield Concern(
                sentence=f"The organisers wrote to you about run {message.run.number}.",
                address=message.run.get_absolute_url(),
                action="Read it",
            )


def of_the_systems(board: Dashboard) -> Iterator[Concern]:
    for system in board.systems:
        if not system.description and not system.questionnaire and system.withdrawn_at is None:
            yield Concern(
                sentence=f"Nothing is said yet about {system.name}: please describe it.",
                address=reverse("system-edit", args=[board.task.slug, system.public_id]),
                action="Describe it",
            )


def has_run(board: Dashboard, line: PhaseLine) -> bool:
    return line.quota.in_all > 0 or any(one.run.phase_id == line.phase.pk for one in board.runs)
