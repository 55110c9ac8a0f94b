"""People of the tests: accounts with confirmed addresses, organisers, and what a mail says."""

from __future__ import annotations

import re
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.core import mail
from django.test import Client

from sharedtask.accounts import mail_queue
from sharedtask.accounts.models import QueuedMail, User

PASSWORD = "seven quiet larches"


def person(name: str, *, confirmed: bool = True) -> User:
    user = User.objects.create_user(
        name, email=f"{name}@example.org", password=PASSWORD, full_name=name.title()
    )
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=confirmed)
    return user


def link_in(text: str) -> str:
    """The path of the first address in a mail."""
    match = re.search(r"https?://[^/\s]+(/\S+)", text)
    assert match is not None, text
    return match[1]


def arrived() -> list[mail.EmailMessage]:
    """All mails, once a worker has sent those about accounts that wait in the queue."""
    for queued in QueuedMail.objects.to_be_sent():
        mail_queue.send(queued.public_id)
    return mail.outbox


def last_mail() -> mail.EmailMessage:
    return arrived()[-1]


def code_of(secret: str) -> str:
    counters = list(yield_hotp_counters_from_time())
    return format_hotp_value(hotp_value(secret, counters[len(counters) // 2]))


def password_again(client: Client, path: str) -> Any:
    """What touches the account itself asks for the password once more."""
    return client.post(f"/account/again/?next={path}", {"password": PASSWORD}, follow=True)


def mails_to(address: str) -> list[str]:
    return [queued.subject for queued in mail.outbox if queued.to == [address]]
