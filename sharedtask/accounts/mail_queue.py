"""Account e-mails: stored during the request, sent by a worker.

In: an e-mail that allauth has written. Out: an encrypted row, and after the commit a message to the queue
`mail`; a worker claims the row, sends the e-mail and deletes the row. No request waits for a mail server,
response times do not reveal whether an account exists, and nothing is lost while the mail server is down.
Logs contain the row and the kind of e-mail, never an address or a link.
"""

from __future__ import annotations

import json
import logging
from datetime import datetime, timedelta

from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.db import transaction

from sharedtask.accounts.models import QueuedMail
from sharedtask.accounts.models.queued_mail import QueuedMailQuerySet
from sharedtask.core import lockbox
from sharedtask.work import dispatch
from sharedtask.work.kinds import WorkKind
from sharedtask.work.perform import perform
from sharedtask.work.retry import RetryPolicy
from sharedtask.work.targets import SEND_ACCOUNT_MAIL

PURPOSE = "account mail"
RETENTION = timedelta(days=7)
"""How long an e-mail that could not be sent is kept; the links in it have expired by then."""

log = logging.getLogger(__name__)


class SendQueuedMail(WorkKind[QueuedMail]):
    """A worker that dies between sending and deleting causes a second e-mail: better than none."""

    target = SEND_ACCOUNT_MAIL
    stage = "mail"
    lease = timedelta(minutes=5)
    patience = timedelta(seconds=60)
    retries = RetryPolicy(
        max_attempts=QueuedMail.MAX_ATTEMPTS,
        max_losses=QueuedMail.MAX_ATTEMPTS,
        first_pause=timedelta(minutes=1),
        max_pause=timedelta(days=1),
    )

    def waiting(self) -> QueuedMailQuerySet:
        return QueuedMail.objects.to_be_sent()

    def process(self, row: QueuedMail) -> None:
        decrypt(row).send()
        row.delete()
        log.info("%s was sent", row)

    def discover(self, *, at: datetime) -> None:
        """Delete what is too old to be useful."""
        QueuedMail.objects.filter(created_at__lte=at - RETENTION).delete()

    def note(self, error: BaseException) -> str:
        """Only the kind and the code of the error, because the server's reply may contain the address."""
        return f"{type(error).__name__} {getattr(error, 'smtp_code', '')}".strip()


def enqueue(message: EmailMessage, *, about: str, at: datetime) -> QueuedMail:
    contents = {
        "subject": message.subject,
        "body": message.body,
        "from": message.from_email,
        "to": message.to,
        "alternatives": [[content, kind] for content, kind in getattr(message, "alternatives", [])],
    }
    with transaction.atomic():
        locked = lockbox.lock(json.dumps(contents), purpose=PURPOSE)
        mail = QueuedMail.objects.create(about=about[-80:], locked=locked, created_at=at, dispatched_at=at)
        dispatch.enqueue(SEND_ACCOUNT_MAIL, mail.public_id)
    return mail


def send(public_id: str, *, at: datetime | None = None) -> bool:
    """Whether it was sent now."""
    return bool(perform(SendQueuedMail(), [public_id], at=at))


def decrypt(mail: QueuedMail) -> EmailMessage:
    contents = json.loads(lockbox.unlock(mail.locked, purpose=PURPOSE))
    message = EmailMultiAlternatives(contents["subject"], contents["body"], contents["from"], contents["to"])
    for content, kind in contents["alternatives"]:
        message.attach_alternative(content, kind)
    return message
