"""How to take part, in three steps, and how far this reader is.

In: the reader, the team if there is one, what it has uploaded. Out: `Step`s of which one is the next. The
sentences follow from the arguments alone.
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
    words: str
    state: State
    action: str = ""
    address: str = ""
    """Where the next step is taken; empty when it is not the reader's turn."""


def steps(task: Task, *, signed_in: bool, team: Team | None, has_runs: bool, is_open: bool) -> list[Step]:
    found = [account(task, signed_in=signed_in), registration(task, team), upload(task, has_runs, is_open)]
    done = [signed_in, team is not None and fully_registered(team), has_runs]
    here = next((place for place, one in enumerate(done) if not one), len(done))
    return [
        Step(
            title=title,
            words=words,
            state=State.DONE if done[place] else State.NEXT if place == here else State.AHEAD,
            action=action if place == here else "",
            address=address if place == here and action else "",
        )
        for place, (title, words, action, address) in enumerate(found)
    ]


Told = tuple[str, str, str, str]


def account(task: Task, *, signed_in: bool) -> Told:
    words = "You are signed in." if signed_in else "An account needs a name and an e-mail address."
    return "Sign in", words, "Sign in", f"{reverse('account_login')}?next={task.get_absolute_url()}"


def registration(task: Task, team: Team | None) -> Told:
    title, address = "Register a team", reverse("team", args=[task.slug])
    if team is None:
        return title, "Or join one by the link that a member sends you.", "Register a team", address
    if team.registration == Team.Registration.DECLINED:
        return title, f"The organisers declined {team.name}.", "Read why", address
    if not team.has_accepted_rules:
        return title, f"You are in {team.name}; the rules are to be accepted.", "Accept the rules", address
    if not team.is_confirmed:
        return title, f"You are in {team.name}; an organiser has to confirm it.", "Your team", address
    return title, f"You are in {team.name}, and it is confirmed.", "", ""


def fully_registered(team: Team) -> bool:
    return team.is_confirmed and team.has_accepted_rules


def upload(task: Task, has_runs: bool, is_open: bool) -> Told:
    title = "Upload what your parser makes of the text"
    if has_runs:
        return title, "Your runs are on your team's page.", "", ""
    if not is_open:
        return title, "No phase takes uploads at the moment.", "", ""
    words = "One CoNLL-U file for each test set. Every error is reported with its line number."
    return title, words, "Upload a run", reverse("upload", args=[task.slug])
