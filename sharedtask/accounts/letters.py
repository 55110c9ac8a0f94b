"""Mails about an account: kept in the request, sent by a worker.

In: a mail that allauth has written. Out: a row, under lock, and after the commit a message to the queue
`mail`; the worker claims the row, sends the mail and deletes the row. Nobody waits for a mail server, how
long an answer takes does not tell whether there is an account, and a mail server that is away loses nothing.
What is logged names the row and the kind of mail, never an address or a link.
"""

from __future__ import annotations

import json
import logging
from datetime import datetime, timedelta

from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.db import transaction
from django.db.models import F

from sharedtask.accounts.models import Letter
from sharedtask.core import clock, lockbox
from sharedtask.work import dispatch

PURPOSE = "account mail"
LEASE = timedelta(minutes=5)
FIRST_PAUSE = timedelta(minutes=1)
KEPT = timedelta(days=7)
"""How long a mail that could not be sent is kept; the links in it have run out by then."""

log = logging.getLogger(__name__)


def keep(message: EmailMessage, *, about: str, at: datetime) -> Letter:
    told = {
        "subject": message.subject,
        "body": message.body,
        "from": message.from_email,
        "to": message.to,
        "alternatives": [[content, kind] for content, kind in getattr(message, "alternatives", [])],
    }
    with transaction.atomic():
        locked = lockbox.lock(json.dumps(told), purpose=PURPOSE)
        letter = Letter.objects.create(about=about[-80:], locked=locked, created_at=at)
        dispatch.hand_out(dispatch.MAIL_LETTER, letter.public_id)
    return letter


def send(public_id: str, *, at: datetime | None = None) -> bool:
    """Whether it went out now. Dying between sending and deleting sends it twice: better than never."""
    at = at or clock.database_now()
    claim = Letter.objects.filter(public_id=public_id).to_be_sent(at=at)
    # An attempt is counted before it is made, so that one that kills the worker counts as well.
    if not claim.update(claimed_until=at + LEASE, attempts=F("attempts") + 1):
        return False
    letter = Letter.objects.get(public_id=public_id)
    try:
        opened(letter).send()
    except OSError as error:
        # What a mail server answers may repeat the address; its kind and code do not.
        told = f"{type(error).__name__} {getattr(error, 'smtp_code', '')}".strip()
        log.warning("%s could not be sent at attempt %s: %s", letter, letter.attempts, told)
        Letter.objects.filter(pk=letter.pk).update(
            claimed_until=at + FIRST_PAUSE * 2 ** (letter.attempts - 1)
        )
        return False
    letter.delete()
    log.info("%s was sent", letter)
    return True


def opened(letter: Letter) -> EmailMessage:
    told = json.loads(lockbox.unlock(letter.locked, purpose=PURPOSE))
    message = EmailMultiAlternatives(told["subject"], told["body"], told["from"], told["to"])
    for content, kind in told["alternatives"]:
        message.attach_alternative(content, kind)
    return message


def sweep(*, at: datetime, patience: timedelta) -> int:
    """Hand out again what nobody has sent; forget what is too old to be of use."""
    Letter.objects.filter(created_at__lte=at - KEPT).delete()
    waiting = Letter.objects.to_be_sent(at=at).filter(created_at__lte=at - patience)
    ids = list(waiting.values_list("public_id", flat=True))
    for public_id in ids:
        dispatch.hand_out(dispatch.MAIL_LETTER, public_id)
    return len(ids)
