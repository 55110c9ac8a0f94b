"""Register a team for a task: the team, its primary system and its members, all or nothing.

`register` is for teams that organisers enter. Everybody else uses `request_registration`: they accept the
rules and wait for an organiser's decision (`decide.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import IntegrityError, transaction
from django.urls import reverse

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.competition.task_access import is_over
from sharedtask.core.errors import Refusal
from sharedtask.teams.models import Membership, Notice, System, Team
from sharedtask.teams.names import clean_name, lookalike_key
from sharedtask.teams.notices.send import organisers_of, send_notices


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


def request_registration(
    *,
    task: Task,
    name: str,
    by: User,
    rules_version: int,
    at: datetime,
    affiliation: str = "",
    pseudonym: str = "",
) -> Team:
    name, pseudonym = clean_name(name), clean_name(pseudonym)
    require_current_rules(task, rules_version)
    if is_over(task, at=at):
        raise Refusal("task-over", "This task is over, so teams can no longer register.")
    with transaction.atomic():
        # The lock serialises registrations, so that no two of them compare names at the same time.
        Task.objects.select_for_update().get(pk=task.pk)
        if Membership.objects.filter(task=task, user=by).exists():
            raise already_in_a_team()
        refuse_taken_names(task, name, pseudonym)
        try:
            with transaction.atomic():
                team = register(
                    task=task,
                    name=name,
                    members=[by],
                    affiliation=clean_name(affiliation),
                    pseudonym=pseudonym,
                    rules_version=rules_version,
                    at=at,
                )
        except IntegrityError:
            # Another request was faster: by the same person in another window, or for a team of this name.
            raise (
                already_in_a_team()
                if Membership.objects.filter(task=task, user=by).exists()
                else name_taken(name)
            ) from None
        notify_organisers(team, at=at)
    return team


def request_again(*, team: Team, by: User, at: datetime) -> None:
    """For a team that was declined and has fixed the reason for it."""
    with transaction.atomic():
        changed = Team.objects.filter(pk=team.pk, registration=Team.Registration.DECLINED).update(
            registration=Team.Registration.REQUESTED, registered_at=at
        )
        if changed:
            notify_organisers(team, at=at)


def accept_rules(*, team: Team, by: User, rules_version: int, at: datetime) -> None:
    require_current_rules(team.task, rules_version)
    Team.objects.filter(pk=team.pk).update(rules_version=rules_version)


def require_current_rules(task: Task, rules_version: int) -> None:
    """The rules that were on the page must be those in force: nobody accepts rules unread."""
    if rules_version != task.rules_version:
        raise Refusal(
            "rules-changed",
            "The rules have changed since you opened this page. Please read and accept the current version.",
            found=f"version {rules_version}",
            expected=f"version {task.rules_version}",
        )


def already_in_a_team() -> Refusal:
    return Refusal(
        "already-in-a-team",
        "You are already on a team for this task. You can be on one team per task: leave that team first.",
    )


def refuse_taken_names(task: Task, name: str, pseudonym: str, *, except_for: Team | None = None) -> None:
    """Neither the name nor the pseudonym may be mistaken for another team's. Baselines have no pseudonym.

    `except_for` is the team that is to have the names.
    """
    taken_names, taken_pseudonyms = set(), set()
    teams = task.teams.exclude(pk=except_for.pk) if except_for else task.teams.all()
    for other_name, other_pseudonym, is_baseline in teams.values_list("name", "pseudonym", "is_baseline"):
        taken_names.add(lookalike_key(other_name))
        if other_pseudonym:
            taken_pseudonyms.add(lookalike_key(other_pseudonym))
        if is_baseline:
            taken_pseudonyms.add(lookalike_key(other_name))
    if lookalike_key(name) in taken_names:
        raise name_taken(name)
    if pseudonym and lookalike_key(pseudonym) in taken_pseudonyms:
        raise Refusal(
            "pseudonym-taken",
            f"Another team in this task already has the pseudonym {pseudonym} or a similar one.",
            found=pseudonym,
        )


def name_taken(name: str) -> Refusal:
    return Refusal(
        "team-name-taken",
        f"Another team in this task already has the name {name} or a similar one.",
        found=name,
    )


def notify_organisers(team: Team, *, at: datetime) -> None:
    send_notices(
        people=organisers_of(team.task),
        task=team.task,
        kind=Notice.Kind.REGISTRATION,
        event=f"registration-requested:{team.public_id}:{at.isoformat()}",
        text=f"{team.name} has requested registration for {team.task.title}.",
        path=reverse("registrations", args=[team.task.slug]),
        at=at,
    )
