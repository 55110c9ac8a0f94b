"""Who organises a task: another account is let in or taken out, with the reason for it.

In: the task, an account by its sign-in name, who acts and why. Out: the task's organisers, and an entry in
the log. Sign-in names end at random, so that only who was told one can name an account.
"""

from __future__ import annotations

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.models import Task
from sharedtask.core.errors import Refusal


def add_organiser(*, task: Task, name: str, by: User, reason: str) -> None:
    reason = reasons.required(reason)
    with transaction.atomic():
        task = Task.objects.select_for_update().get(pk=task.pk)
        person = account_called(name)
        if task.organisers.filter(pk=person.pk).exists():
            raise Refusal("organises-already", f"{person.username} organises this task already.")
        task.organisers.add(person)
        write(task, person, by, "add-organiser", reason)


def remove_organiser(*, task: Task, name: str, by: User, reason: str) -> None:
    reason = reasons.required(reason)
    with transaction.atomic():
        task = Task.objects.select_for_update().get(pk=task.pk)
        person = account_called(name)
        if not task.organisers.exclude(pk=person.pk).exists():
            raise Refusal("only-organiser", "A task has at least one organiser. Let another in first.")
        task.organisers.remove(person)
        write(task, person, by, "remove-organiser", reason)


def account_called(name: str) -> User:
    # A form can bring a NUL, which no database takes.
    person = User.objects.filter(username=name.replace("\0", "").strip(), is_active=True).first()
    if person is None:
        raise Refusal(
            "no-such-account",
            "No account has this sign-in name. Whoever it is finds it under Your account.",
            expected="a sign-in name",
        )
    return person


def write(task: Task, person: User, by: User, action: str, reason: str) -> None:
    audit.write(task=task, who=by, action=action, subject=person.username, reason=reason)
