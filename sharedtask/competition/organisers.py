"""Add or remove an organiser of a task, with a reason.

In: the task, the sign-in name of an account, who acts (None: a command of an administrator) and why. Out: the
task's organisers, and an entry in the audit log. Sign-in names have a
random suffix, so that they cannot be guessed.
"""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.models import Task
from sharedtask.core.errors import Refusal


def add_organiser(*, task: Task, name: str, by: User | None, reason: str) -> None:
    reason = reasons.required(reason)
    with transaction.atomic():
        task = Task.objects.select_for_update().get(pk=task.pk)
        person = find_account(name)
        if task.organisers.filter(pk=person.pk).exists():
            raise Refusal("organises-already", f"{person.username} is already an organiser of this task.")
        task.organisers.add(person)
        record(task, person, by, "add-organiser", reason)


def remove_organiser(*, task: Task, name: str, by: User | None, reason: str) -> None:
    reason = reasons.required(reason)
    with transaction.atomic():
        task = Task.objects.select_for_update().get(pk=task.pk)
        person = find_account(name)
        if not task.organisers.exclude(pk=person.pk).exists():
            raise Refusal("only-organiser", "A task needs at least one organiser. Add another one first.")
        task.organisers.remove(person)
        record(task, person, by, "remove-organiser", reason)


def find_account(name: str) -> User:
    """By sign-in name or confirmed e-mail address; an unconfirmed one may belong to another person."""
    # No database accepts a NUL character, which a request can contain.
    name = name.replace("\0", "").strip()
    accounts = User.objects.filter(is_active=True)
    confirmed = EmailAddress.objects.filter(email__iexact=name, verified=True)
    person = (
        accounts.filter(username=name).first() or accounts.filter(pk__in=confirmed.values("user_id")).first()
    )
    if person is None:
        raise Refusal(
            "no-such-account",
            "No account has this sign-in name or confirmed e-mail address. Both are shown on the person’s "
            "page “Your account”.",
            expected="a sign-in name or a confirmed e-mail address",
        )
    return person


def record(task: Task, person: User, by: User | None, action: str, reason: str) -> None:
    audit.write(task=task, who=by, action=action, subject=person.username, reason=reason)
