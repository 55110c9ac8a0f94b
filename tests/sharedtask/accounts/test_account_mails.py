"""Account e-mails: encrypted, sent by the queue, not lost and not logged; and other encrypted secrets."""

from __future__ import annotations

import logging
import smtplib
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.core import mail
from django.core.cache import cache
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError, call_command
from django.test import Client

from sharedtask.accounts import mail_queue
from sharedtask.accounts.models import QueuedMail, User
from sharedtask.core import clock, lockbox
from sharedtask.operations.sweep_notices import sweep
from sharedtask.work import targets
from tests.sharedtask.support.people import PASSWORD, arrived, code_of, link_in, person
from tests.sharedtask.support.sending import Sent

pytestmark = pytest.mark.django_db(transaction=True)
Messages = list[Sent]
SECOND = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def no_attempts_so_far(db: None) -> None:
    cache.clear()


def forget_password(name: str = "ash") -> None:
    Client().post("/account/password/forgotten/", {"email": f"{name}@example.org"})


def test_a_mail_is_sent_by_the_queue_and_its_row_goes_with_it(dispatched: Messages) -> None:
    person("ash")
    forget_password()
    queued = QueuedMail.objects.get()
    assert mail.outbox == [], "nothing is sent in the request"
    assert dispatched == [(targets.SEND_ACCOUNT_MAIL, [queued.public_id])]
    mail_queue.send(queued.public_id)
    assert mail.outbox[0].to == ["ash@example.org"]
    assert "/account/password/new/" in link_in(mail.outbox[0].body)
    assert not QueuedMail.objects.exists()
    mail_queue.send(queued.public_id)
    assert len(mail.outbox) == 1, "a message that comes twice sends nothing twice"


def test_neither_the_row_nor_the_log_shows_the_address_or_the_link(
    dispatched: Messages, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    person("ash")
    caplog.set_level(logging.DEBUG)
    forget_password()
    queued = QueuedMail.objects.get()
    remaining = " ".join(str(value) for value in QueuedMail.objects.values_list()[0])

    def away(self: Any, messages: Any) -> int:
        raise smtplib.SMTPRecipientsRefused({"ash@example.org": (550, b"no ash@example.org here")})

    with monkeypatch.context() as patched:
        patched.setattr(EmailBackend, "send_messages", away)
        assert not mail_queue.send(queued.public_id)
    again = clock.database_now() + mail_queue.SendQueuedMail.retries.first_pause + SECOND
    assert mail_queue.send(queued.public_id, at=again)
    secret = link_in(mail.outbox[0].body).split("/")[-2]
    for text in (remaining, caplog.text):
        assert "ash@example.org" not in text
        assert secret not in text
    assert f"{queued.public_id} failed at attempt 1: SMTPRecipientsRefused" in caplog.text


def test_a_mail_server_that_is_away_loses_nothing(
    dispatched: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    person("ash")
    forget_password()
    queued = QueuedMail.objects.get()
    with monkeypatch.context() as patched:
        patched.setattr(EmailBackend, "send_messages", refuse)
        assert not mail_queue.send(queued.public_id)
    dispatched.clear()
    now = clock.database_now()
    assert sweep(at=now + SECOND).dispatched == 0, "it is not tried again at once"
    later = now + mail_queue.SendQueuedMail.retries.first_pause + mail_queue.SendQueuedMail.patience + SECOND
    assert sweep(at=later).dispatched == 1
    assert dispatched == [(targets.SEND_ACCOUNT_MAIL, [queued.public_id])]
    assert mail_queue.send(queued.public_id, at=later)
    assert len(mail.outbox) == 1


def test_a_mail_that_cannot_be_sent_is_given_up_and_forgotten(
    dispatched: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    person("ash")
    forget_password()
    queued = QueuedMail.objects.get()
    monkeypatch.setattr(EmailBackend, "send_messages", refuse)
    at = clock.database_now()
    for _ in range(QueuedMail.MAX_ATTEMPTS + 2):
        at += timedelta(hours=6)
        mail_queue.send(queued.public_id, at=at)
    assert QueuedMail.objects.get().attempts == QueuedMail.MAX_ATTEMPTS
    sweep(at=queued.created_at + mail_queue.RETENTION - SECOND)
    assert QueuedMail.objects.exists()
    sweep(at=queued.created_at + mail_queue.RETENTION)
    assert not QueuedMail.objects.exists()


def refuse(self: Any, messages: Any) -> int:
    raise ConnectionRefusedError("nobody listens")


def test_a_second_factor_is_locked_in_the_database_and_works() -> None:
    user = person("ash")
    secret = "JBSWY3DPEHPK3PXP"
    TOTP.activate(user, secret)
    RecoveryCodes.activate(user)
    stored = {item.type: item.data for item in Authenticator.objects.all()}
    assert secret not in str(stored)
    wrapped = Authenticator.objects.get(type=Authenticator.Type.TOTP).wrap()
    assert wrapped.validate_code(code_of(secret))
    seed = stored[Authenticator.Type.RECOVERY_CODES]["seed"]
    assert lockbox.unlock(seed, purpose="second factor") not in str(stored)


def test_what_is_locked_opens_with_the_same_key_for_the_same_purpose_alone(settings: Any) -> None:
    locked = lockbox.lock("a word", purpose="second factor")
    assert "word" not in locked
    assert lockbox.unlock(locked, purpose="second factor") == "a word"
    with pytest.raises(lockbox.WrongKey):
        lockbox.unlock(locked, purpose="account mail")
    with pytest.raises(lockbox.WrongKey):
        lockbox.unlock(locked[:-8] + "AAAAAAA=", purpose="second factor")
    settings.SECRET_KEY = "another"
    with pytest.raises(lockbox.WrongKey):
        lockbox.unlock(locked, purpose="second factor")
    settings.SECRET_KEY_FALLBACKS = ["only-for-tests"]
    assert lockbox.unlock(locked, purpose="second factor") == "a word"


def test_signing_in_and_its_limits_need_no_redis(
    settings: Any, embedded: Mapping[str, str], server: Any
) -> None:
    """Nothing listens where this site looks for its Redis; before, every sign-in ended in an error there."""
    from tests.sharedtask.support.signing_in import Visit, make_person

    make_person(embedded)
    away = dict(embedded) | {"REDIS_URL": "redis://127.0.0.1:9/0"}
    running = server(away)
    assert Visit(running.url).sign_in("ash", PASSWORD) == (302, "/")
    wrong = [Visit(running.url).sign_in("ash", "wrong")[0] for _ in range(6)]
    assert wrong == [200] * 6
    visit = Visit(running.url)
    assert visit.sign_in("ash", PASSWORD) == (200, "")
    assert "Too many attempts" in visit.page


def test_an_account_without_address_is_told_how_to_get_one(client: Client, dispatched: Messages) -> None:
    User.objects.create_superuser("root", email="", password=PASSWORD)
    response = client.post("/sign-in/", {"login": "root", "password": PASSWORD}, follow=True)
    assert response.redirect_chain == [("/account/without-address/", 302)]
    assert "manage.py address NAME ADDRESS" in response.content.decode()
    wrong = Client().post("/sign-in/", {"login": "root", "password": "wrong"})
    assert "without" not in wrong.content.decode(), "only who has the password learns it"
    person("ash")
    with pytest.raises(CommandError, match="Another account"):
        call_command("address", "root", "ash@example.org")
    with pytest.raises(CommandError, match="not a valid e-mail address"):
        call_command("address", "root", "nonsense")
    with pytest.raises(CommandError, match="no account"):
        call_command("address", "nobody", "root@example.org")
    call_command("address", "root", "root@example.org", verbosity=0)
    confirm = client.post("/sign-in/", {"login": "root", "password": PASSWORD})
    assert confirm.headers["Location"] == "/account/confirm/"
    assert arrived()[-1].to == ["root@example.org"]
    call_command("address", "root", "root@example.org", "--confirmed", verbosity=0)
    assert Client().post("/sign-in/", {"login": "root", "password": PASSWORD}).headers["Location"] == "/"
