"""Notify people of an event once: a notice on the site, and after the commit an e-mail to those who want one.

In: the recipients, the task, an `event` that identifies what happened, a sentence, and a page to read more.
Out: rows. Sending the same event again changes nothing, so that several callers may report it. Call this
inside the transaction of the event, so that nothing is reported that is rolled back.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Count, QuerySet

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.teams.models import Notice, NoticeChoice, Team
from sharedtask.work import dispatch
from sharedtask.work.targets import MAIL_NOTICES

MAX_LENGTH = 300
MAILS_PER_HOUR = 3
"""About runs, to one person; further ones wait and are sent together at the next full hour."""
DIGEST_PERIOD = timedelta(hours=1)


def send_notices(
    *,
    people: QuerySet[User],
    task: Task,
    kind: Notice.Kind,
    event: str,
    text: str,
    path: str,
    at: datetime,
    mail: bool = True,
) -> None:
    """Without `mail` on the site only, for an event that another one with an e-mail follows."""
    # The fixed order prevents deadlocks between transactions that notify the same people.
    ids = sorted(people.filter(is_active=True).values_list("pk", flat=True).distinct())
    chosen = dict(NoticeChoice.objects.filter(user__in=ids, kind=kind).values_list("user_id", "channel"))
    channels = {id: chosen.get(id, Notice.default_channel(kind)) for id in ids}
    addresses = EmailAddress.objects.filter(user__in=ids, primary=True, verified=True)
    reachable = set(addresses.values_list("user_id", flat=True)) if mail else set()
    delayed = people_with_many_mails(ids, at=at) if kind in Notice.ABOUT_RUNS else frozenset()
    notices = [
        Notice(
            user_id=id,
            task=task,
            kind=kind,
            event=event,
            text=one_line(text),
            path=path,
            created_at=at,
            # The sweep sends a message about a notice whose e-mail is delayed.
            dispatched_at=None if id in delayed else at,
            wants_mail=id in reachable and channels[id] == Notice.Channel.BOTH,
            mail_after=next_hour(at) if id in delayed else None,
        )
        for id in ids
        if channels[id] != Notice.Channel.NEITHER
    ]
    with transaction.atomic():
        Notice.objects.bulk_create(notices, ignore_conflicts=True)
        if any(notice.wants_mail and notice.mail_after is None for notice in notices):
            # One message for all notices, so that an unavailable broker is waited for only once.
            dispatch.enqueue(MAIL_NOTICES, event)


def people_with_many_mails(ids: Iterable[int], *, at: datetime) -> frozenset[int]:
    """Those who got as many e-mails about runs within an hour that the next ones are put together."""
    recent = Notice.objects.filter(
        user__in=ids, kind__in=Notice.ABOUT_RUNS, wants_mail=True, created_at__gt=at - DIGEST_PERIOD
    )
    numbers = recent.order_by().values("user_id").annotate(number=Count("pk"))
    return frozenset(numbers.filter(number__gte=MAILS_PER_HOUR).values_list("user_id", flat=True))


def next_hour(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0) + DIGEST_PERIOD


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
