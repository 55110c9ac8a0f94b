"""Notify people of an event once: a notice on the site, and after the commit an e-mail to those who want one.

In: the recipients, the task, an `event` that identifies what happened, a sentence, and a page to read more.
Out: rows. Sending the same event again changes nothing, so that several callers may report it. Call this
inside the transaction of the event, so that nothing is reported that is rolled back.
"""

from __future__ import annotations

from datetime import datetime

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import QuerySet

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.teams.models import Notice, NoticeOptOut, Team
from sharedtask.work import dispatch
from sharedtask.work.targets import MAIL_NOTICES

MAX_LENGTH = 300


def send_notices(
    *, people: QuerySet[User], task: Task, kind: Notice.Kind, event: str, text: str, path: str, at: datetime
) -> None:
    # The fixed order prevents deadlocks between transactions that notify the same people.
    ids = sorted(people.filter(is_active=True).values_list("pk", flat=True).distinct())
    opted_out = dict(
        NoticeOptOut.objects.filter(user__in=ids, kind=kind).values_list("user_id", "also_on_site")
    )
    addresses = EmailAddress.objects.filter(user__in=ids, primary=True, verified=True)
    reachable = set(addresses.values_list("user_id", flat=True)) - set(opted_out)
    notices = [
        Notice(
            user_id=id,
            task=task,
            kind=kind,
            event=event,
            text=one_line(text),
            path=path,
            created_at=at,
            dispatched_at=at,
            wants_mail=id in reachable,
        )
        for id in ids
        if not opted_out.get(id, False)
    ]
    with transaction.atomic():
        Notice.objects.bulk_create(notices, ignore_conflicts=True)
        if any(notice.wants_mail for notice in notices):
            # One message for all notices, so that an unavailable broker is waited for only once.
            dispatch.enqueue(MAIL_NOTICES, event)


def members_of(team: Team) -> QuerySet[User]:
    return User.objects.filter(teams=team)


def participants_of(task: Task) -> QuerySet[User]:
    teams = Team.objects.filter(task=task).exclude(registration=Team.Registration.DECLINED)
    return User.objects.filter(teams__in=teams)


def organisers_of(task: Task) -> QuerySet[User]:
    return User.objects.filter(organised_tasks=task)


def one_line(text: str) -> str:
    """The text becomes the subject of an e-mail, where a line break would start another header."""
    text = " ".join(text.split())
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "…"
