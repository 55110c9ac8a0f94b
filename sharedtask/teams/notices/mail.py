"""E-mail the notices of an event: each notice is claimed, sent, and marked as sent.

In: the event, from the queue. Out: e-mails. If a worker dies between sending and marking, its lease expires
and the e-mail is sent a second time: better twice than never. A failed e-mail is retried after a pause that
doubles, at most eight times. Notices about runs that were held back (`send.py`) are sent together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse

from sharedtask.core import clock
from sharedtask.core.site_address import absolute
from sharedtask.teams.models import Notice, NoticeChoice
from sharedtask.teams.models.notice import NoticeQuerySet
from sharedtask.work.kinds import WorkKind
from sharedtask.work.lease import released
from sharedtask.work.retry import RetryPolicy
from sharedtask.work.targets import MAIL_NOTICES


class MailNotices(WorkKind[Notice]):
    """A message names an event, of which many people may have a notice; one notice is claimed at a time."""

    target = MAIL_NOTICES
    stage = "mail"
    key = "event"
    related = ("task",)
    rows_per_claim = 1
    lease = timedelta(minutes=5)
    patience = timedelta(seconds=60)
    retries = RetryPolicy(
        max_attempts=Notice.MAX_ATTEMPTS,
        max_losses=Notice.MAX_ATTEMPTS,
        first_pause=timedelta(minutes=1),
        max_pause=timedelta(days=1),
    )

    def waiting(self) -> NoticeQuerySet:
        return Notice.objects.to_be_mailed()

    def messages(self, rows: Iterable[Notice]) -> Iterator[list[str]]:
        for event in sorted({row.event for row in rows}):
            yield [event]

    def ready(self, at: datetime) -> QuerySet[Notice]:
        return super().ready(at).filter(Q(mail_after=None) | Q(mail_after__lte=at))

    def process(self, row: Notice) -> bool:
        notice = Notice.objects.filter(pk=row.pk)
        address = address_of(row)
        if address is None:
            notice.update(wants_mail=False, **released())
            return False
        if row.mail_after is not None:
            return send_together(row, address)
        build_message(row, address).send()
        notice.update(mailed_at=clock.database_now(), **released())
        return True

    def log_fields(self, row: Notice) -> dict[str, str]:
        return {"notice": str(row.pk)}


def send_together(row: Notice, address: str) -> bool:
    """One e-mail for all notices of the same person and task that were held back until the same time.

    Their rows stay locked until it is sent, so that a worker that claimed another of them sends no second.
    """
    with transaction.atomic():
        together = Notice.objects.to_be_mailed().filter(
            user=row.user_id, task=row.task_id, mail_after=row.mail_after
        )
        rows = list(
            together.select_for_update(of=("self",)).select_related("task").order_by("created_at", "pk")
        )
        # A kind may have been switched off since.
        mailed = [notice for notice in rows if notice.pk == row.pk or wants_mail(notice)]
        if row.pk not in {notice.pk for notice in rows}:
            return False
        message = build_message(row, address) if len(mailed) == 1 else build_digest(mailed, address)
        message.send()
        Notice.objects.filter(pk__in=[notice.pk for notice in rows]).update(
            mailed_at=clock.database_now(), **released()
        )
    return True


def address_of(notice: Notice) -> str | None:
    """The current address: since the notice was written, the kind may have been switched off."""
    if not wants_mail(notice):
        return None
    addresses = EmailAddress.objects.filter(user=notice.user_id, primary=True, verified=True)
    return addresses.values_list("email", flat=True).first()


def wants_mail(notice: Notice) -> bool:
    chosen = NoticeChoice.objects.filter(user=notice.user_id, kind=notice.kind)
    channel = chosen.values_list("channel", flat=True).first() or Notice.default_channel(notice.kind)
    return channel == Notice.Channel.BOTH


def build_digest(notices: Sequence[Notice], address: str) -> EmailMessage:
    task = notices[0].task
    context = {
        "task": task,
        "notices": [(notice, absolute(notice.path)) for notice in notices],
        "choices": absolute(reverse("notice-settings")),
    }
    return EmailMessage(
        subject=f"[{task.title}] {len(notices)} notices about your runs",
        body=render_to_string("teams/notices/digest.txt", context),
        to=[address],
        headers={"Auto-Submitted": "auto-generated"},
    )


def build_message(notice: Notice, address: str) -> EmailMessage:
    context = {
        "notice": notice,
        "address": absolute(notice.path),
        "choices": absolute(reverse("notice-settings")),
    }
    return EmailMessage(
        subject=f"[{notice.task.title}] {notice.text}",
        body=render_to_string("teams/notices/mail.txt", context),
        to=[address],
        # Tells automatic responders not to reply.
        headers={"Auto-Submitted": "auto-generated"},
    )
