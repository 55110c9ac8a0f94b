"""The three steps of taking part, and which of them this reader has completed.

In: whether the reader is signed in, the team if there is one, whether it has runs. Out: `Step`s, one of which
is the next. There are no database queries here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django.urls import reverse

from sharedtask.competition.models import Task
from sharedtask.teams.models import Team


class State(StrEnum):
    DONE = "done"
    NEXT = "next"
    AHEAD = "ahead"


@dataclass(frozen=True, kw_only=True)
class Step:
    title: str
    text: str
    state: State
    action: str = ""
    address: str = ""
    """Only for the next step, and only if the reader can do something now."""


def steps(task: Task, *, signed_in: bool, team: Team | None, has_runs: bool, is_open: bool) -> list[Step]:
    texts = [
        account_step(task, signed_in=signed_in),
        registration_step(task, team),
        upload_step(task, has_runs, is_open),
    ]
    done = [signed_in, team is not None and is_fully_registered(team), has_runs]
    current = done.index(False) if False in done else len(done)
    return [
        Step(
            title=title,
            text=text,
            state=State.DONE if done[index] else State.NEXT if index == current else State.AHEAD,
            action=action if index == current else "",
            address=address if index == current and action else "",
        )
        for index, (title, text, action, address) in enumerate(texts)
    ]


StepText = tuple[str, str, str, str]
"""Title, explanation, label of the link, address."""


def account_step(task: Task, *, signed_in: bool) -> StepText:
    text = "You are signed in." if signed_in else "You need an account with a name and an e-mail address."
    return "Sign in", text, "Sign in", f"{reverse('account_login')}?next={task.get_absolute_url()}"


def registration_step(task: Task, team: Team | None) -> StepText:
    title, address = "Register a team", reverse("team", args=[task.slug])
    if team is None:
        return (
            title,
            "Or join a team with an invitation link from one of its members.",
            "Register a team",
            address,
        )
    if team.registration == Team.Registration.DECLINED:
        return title, f"The organisers declined {team.name}.", "See the reason", address
    if not team.has_accepted_rules:
        return title, f"You are on {team.name}. Please accept the rules.", "Accept the rules", address
    if not team.is_confirmed:
        return title, f"You are on {team.name}. An organiser must confirm it.", "Your team", address
    return title, f"You are on {team.name}, which is confirmed.", "", ""


def is_fully_registered(team: Team) -> bool:
    return team.is_confirmed and team.has_accepted_rules


def upload_step(task: Task, has_runs: bool, is_open: bool) -> StepText:
    title = "Upload your parser's output"
    if has_runs:
        return title, "Your runs are on your team's page.", "", ""
    if not is_open:
        return title, "No phase is open for uploads at the moment.", "", ""
    text = "One CoNLL-U file per test set. Every error is reported with its line number."
    return title, text, "Upload a run", reverse("upload", args=[task.slug])
