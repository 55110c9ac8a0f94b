"""Tell people something, once: a notice on the site, and a mail after the commit for those who want one.

In: who, about which task, what happened (`event`, the same words for the same happening), a sentence and a
place to read more. Out: rows. Telling again changes nothing, so that whoever notices an event may tell it.
Call it inside the transaction of the happening: what is rolled back was never told.
"""

from __future__ import annotations

from datetime import datetime

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import QuerySet

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.teams.models import Notice, SwitchedOff, Team
from sharedtask.work import dispatch
from sharedtask.work.targets import MAIL_NOTICES

LONGEST = 300


def tell(
    *, people: QuerySet[User], task: Task, kind: Notice.Kind, event: str, text: str, path: str, at: datetime
) -> None:
    # In a fixed order, so that two who tell at the same time do not wait for each other in a circle.
    ids = sorted(people.filter(is_active=True).values_list("pk", flat=True).distinct())
    off = dict(SwitchedOff.objects.filter(user__in=ids, kind=kind).values_list("user_id", "on_site_too"))
    addressed = EmailAddress.objects.filter(user__in=ids, primary=True, verified=True)
    reachable = set(addressed.values_list("user_id", flat=True)) - set(off)
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
        if not off.get(id, False)
    ]
    with transaction.atomic():
        Notice.objects.bulk_create(notices, ignore_conflicts=True)
        if any(notice.wants_mail for notice in notices):
            # One message for all of them: a broker that is away is then waited for once.
            dispatch.enqueue(MAIL_NOTICES, event)


def members_of(team: Team) -> QuerySet[User]:
    return User.objects.filter(teams=team)


def participants_of(task: Task) -> QuerySet[User]:
    teams = Team.objects.filter(task=task).exclude(registration=Team.Registration.DECLINED)
    return User.objects.filter(teams__in=teams)


def organisers_of(task: Task) -> QuerySet[User]:
    return User.objects.filter(organised_tasks=task)


def one_line(text: str) -> str:
    """It becomes the subject of a mail, where a line end would begin another header."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
