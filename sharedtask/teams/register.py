"""Register a team for a task: the team, its primary system, and the people in it, all or nothing.

`register` writes what it is told, for teams that organisers enter; `ask` is the way of everybody else, who
accept the rules and then wait for an organiser (`decide.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import IntegrityError, transaction
from django.urls import reverse

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.core.errors import Refusal
from sharedtask.teams.models import Membership, Notice, System, Team
from sharedtask.teams.names import likeness, tidy
from sharedtask.teams.notices.tell import organisers_of, tell


def register(
    *,
    task: Task,
    name: str,
    members: Iterable[User] = (),
    system: str = "main",
    is_baseline: bool = False,
    confirmed: bool = False,
    affiliation: str = "",
    pseudonym: str = "",
    rules_version: int = 0,
    at: datetime | None = None,
) -> Team:
    """`confirmed` is for teams that organisers enter themselves; all others wait for an organiser."""
    with transaction.atomic():
        team = Team.objects.create(
            task=task,
            name=name,
            is_baseline=is_baseline,
            affiliation=affiliation,
            pseudonym=pseudonym,
            registration=Team.Registration.CONFIRMED if confirmed else Team.Registration.REQUESTED,
            rules_version=task.rules_version if confirmed else rules_version,
            **({"registered_at": at} if at else {}),
        )
        System.objects.create(team=team, name=system, is_primary=True)
        for user in members:
            Membership.objects.create(user=user, team=team, task=task)
    return team


def ask(
    *,
    task: Task,
    name: str,
    by: User,
    rules_version: int,
    at: datetime,
    affiliation: str = "",
    pseudonym: str = "",
) -> Team:
    name, pseudonym = tidy(name), tidy(pseudonym)
    refuse_other_rules(task, rules_version)
    with transaction.atomic():
        # Names are compared by one registration at a time.
        Task.objects.select_for_update().get(pk=task.pk)
        if Membership.objects.filter(task=task, user=by).exists():
            raise already_in_a_team()
        refuse_taken(task, name, pseudonym)
        try:
            with transaction.atomic():
                team = register(
                    task=task,
                    name=name,
                    members=[by],
                    affiliation=tidy(affiliation),
                    pseudonym=pseudonym,
                    rules_version=rules_version,
                    at=at,
                )
        except IntegrityError:
            # Somebody was quicker: the same person in another window, or another team with this name.
            raise (
                already_in_a_team()
                if Membership.objects.filter(task=task, user=by).exists()
                else name_taken(name)
            ) from None
        tell_organisers(team, at=at)
    return team


def ask_again(*, team: Team, by: User, at: datetime) -> None:
    """After a refusal, with what was wanted mended."""
    with transaction.atomic():
        changed = Team.objects.filter(pk=team.pk, registration=Team.Registration.DECLINED).update(
            registration=Team.Registration.REQUESTED, registered_at=at
        )
        if changed:
            tell_organisers(team, at=at)


def accept_rules(*, team: Team, by: User, rules_version: int, at: datetime) -> None:
    refuse_other_rules(team.task, rules_version)
    Team.objects.filter(pk=team.pk).update(rules_version=rules_version)


def refuse_other_rules(task: Task, rules_version: int) -> None:
    """Nobody accepts rules unread: those on the page have to be those in force."""
    if rules_version != task.rules_version:
        raise Refusal(
            "rules-changed",
            "The rules have changed since you opened this page. Please read and accept them as they are now.",
            found=f"version {rules_version}",
            expected=f"version {task.rules_version}",
        )


def already_in_a_team() -> Refusal:
    return Refusal(
        "already-in-a-team",
        "You are in a team of this task already, and one person is in one team of a task. Leave it first.",
    )


def refuse_taken(task: Task, name: str, pseudonym: str) -> None:
    """Neither the name nor the pseudonym may be taken for another team's; a baseline is never under one."""
    teams = list(task.teams.values_list("name", "pseudonym", "is_baseline"))
    names = {likeness(one) for one, _, _ in teams}
    shown = {likeness(one) for _, one, _ in teams if one} | {likeness(one) for one, _, base in teams if base}
    if likeness(name) in names:
        raise name_taken(name)
    if pseudonym and likeness(pseudonym) in shown:
        raise Refusal(
            "pseudonym-taken", f"Another team of this task is shown as {pseudonym} already.", found=pseudonym
        )


def name_taken(name: str) -> Refusal:
    return Refusal(
        "team-name-taken", f"Another team of this task is called {name} already, or nearly so.", found=name
    )


def tell_organisers(team: Team, *, at: datetime) -> None:
    tell(
        people=organisers_of(team.task),
        task=team.task,
        kind=Notice.Kind.REGISTRATION,
        event=f"registration-asked:{team.public_id}:{at.isoformat()}",
        text=f"{team.name} asks to be registered for {team.task.title}.",
        path=reverse("registrations", args=[team.task.slug]),
        at=at,
    )
