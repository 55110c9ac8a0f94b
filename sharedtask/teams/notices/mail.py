"""Send the mails of an event: each notice is claimed by a conditional update, sent, and marked as sent.

In: the words of an event, as the message brings them. Out: mails. A worker that dies between sending and
marking leaves a claim that runs out, and the mail goes out a second time: told twice is better than not told.
What cannot be sent is tried again after a pause that doubles, at most eight times.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.core.mail import EmailMessage
from django.db.models import F
from django.template.loader import render_to_string
from django.urls import reverse

from sharedtask.core import clock
from sharedtask.core.site_address import absolute
from sharedtask.teams.models import Notice, SwitchedOff

LEASE = timedelta(minutes=5)
FIRST_PAUSE = timedelta(minutes=1)

log = logging.getLogger(__name__)


def mail_event(event: str, *, at: datetime | None = None) -> int:
    """How many mails went out."""
    at = at or clock.database_now()
    waiting = Notice.objects.filter(event=event).to_be_mailed(at=at).order_by("pk")
    return sum(mail_notice(pk, at=at) for pk in list(waiting.values_list("pk", flat=True)))


def mail_notice(pk: int, *, at: datetime) -> bool:
    # An attempt is counted before it is made, so that one that kills the worker counts as well.
    claim = Notice.objects.filter(pk=pk).to_be_mailed(at=at)
    if not claim.update(claimed_until=at + LEASE, attempts=F("attempts") + 1):
        return False
    notice = Notice.objects.select_related("task").get(pk=pk)
    address = address_of(notice)
    if address is None:
        Notice.objects.filter(pk=pk).update(wants_mail=False, claimed_until=None)
        return False
    try:
        letter(notice, address).send()
    except OSError as error:
        # All that a mail server can say or leave unsaid is an OSError, an SMTPException among them.
        log.warning("notice %s could not be mailed at attempt %s: %s", pk, notice.attempts, error)
        pause = FIRST_PAUSE * 2 ** (notice.attempts - 1)
        Notice.objects.filter(pk=pk).update(claimed_until=at + pause)
        return False
    Notice.objects.filter(pk=pk).update(mailed_at=at, claimed_until=None)
    return True


def address_of(notice: Notice) -> str | None:
    """Where to, as things are now: a kind may have been switched off since, an address removed."""
    if SwitchedOff.objects.filter(user=notice.user_id, kind=notice.kind).exists():
        return None
    addresses = EmailAddress.objects.filter(user=notice.user_id, primary=True, verified=True)
    return addresses.values_list("email", flat=True).first()


def letter(notice: Notice, address: str) -> EmailMessage:
    context = {
        "notice": notice,
        "address": absolute(notice.path),
        "choices": absolute(reverse("notice-choices")),
    }
    return EmailMessage(
        subject=f"[{notice.task.title}] {notice.text}",
        body=render_to_string("notices/mail.txt", context),
        to=[address],
        # Robots that answer mails by themselves leave those with this header alone.
        headers={"Auto-Submitted": "auto-generated"},
    )
