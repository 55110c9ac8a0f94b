"""Mails about an account: kept in the request, sent by a worker.

In: a mail that allauth has written. Out: a row, encrypted, and after the commit a message to the queue
`mail`; the worker claims the row, sends the mail and deletes the row. Nobody waits for a mail server, the
time of an answer does not reveal whether there is an account, and a mail server that is down loses nothing.
What is logged and kept names the row and the kind of mail, never an address or a link.
"""

from __future__ import annotations

import json
import logging
from datetime import datetime, timedelta

from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.db import transaction

from sharedtask.accounts.models import Letter
from sharedtask.accounts.models.letter import LetterQuerySet
from sharedtask.core import lockbox
from sharedtask.work import dispatch
from sharedtask.work.kinds import Kind
from sharedtask.work.perform import perform
from sharedtask.work.retry import RetryPolicy
from sharedtask.work.targets import MAIL_LETTER

PURPOSE = "account mail"
KEPT = timedelta(days=7)
"""How long a mail that could not be sent is kept; the links in it have expired by then."""

log = logging.getLogger(__name__)


class MailLetter(Kind[Letter]):
    """Dying between sending and deleting sends it twice: better than never."""

    target = MAIL_LETTER
    stage = "mail"
    lease = timedelta(minutes=5)
    patience = timedelta(seconds=60)
    retries = RetryPolicy(
        max_attempts=Letter.MAX_ATTEMPTS,
        max_losses=Letter.MAX_ATTEMPTS,
        first_pause=timedelta(minutes=1),
        longest_pause=timedelta(days=1),
    )

    def waiting(self) -> LetterQuerySet:
        return Letter.objects.to_be_sent()

    def run(self, row: Letter) -> None:
        unlocked(row).send()
        row.delete()
        log.info("%s was sent", row)

    def discover(self, *, at: datetime) -> None:
        """Forget what is too old to be of use."""
        Letter.objects.filter(created_at__lte=at - KEPT).delete()

    def note(self, error: BaseException) -> str:
        """What a mail server answers may repeat the address; its kind and code do not."""
        return f"{type(error).__name__} {getattr(error, 'smtp_code', '')}".strip()


def keep(message: EmailMessage, *, about: str, at: datetime) -> Letter:
    contents = {
        "subject": message.subject,
        "body": message.body,
        "from": message.from_email,
        "to": message.to,
        "alternatives": [[content, kind] for content, kind in getattr(message, "alternatives", [])],
    }
    with transaction.atomic():
        locked = lockbox.lock(json.dumps(contents), purpose=PURPOSE)
        letter = Letter.objects.create(about=about[-80:], locked=locked, created_at=at, dispatched_at=at)
        dispatch.enqueue(MAIL_LETTER, letter.public_id)
    return letter


def send(public_id: str, *, at: datetime | None = None) -> bool:
    """Whether it went out now."""
    return bool(perform(MailLetter(), [public_id], at=at))


def unlocked(letter: Letter) -> EmailMessage:
    contents = json.loads(lockbox.unlock(letter.locked, purpose=PURPOSE))
    message = EmailMultiAlternatives(contents["subject"], contents["body"], contents["from"], contents["to"])
    for content, kind in contents["alternatives"]:
        message.attach_alternative(content, kind)
    return message
