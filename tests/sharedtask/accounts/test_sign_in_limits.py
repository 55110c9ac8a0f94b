"""Limits on guessing stop the guesser and nobody else, and say how long to wait."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from sharedtask.accounts.models import User
from tests.sharedtask.support.people import PASSWORD, arrived, code_of, last_mail, link_in, person

pytestmark = pytest.mark.django_db(transaction=True)

STRANGER = "203.0.113.5"
OWNER = "198.51.100.7"


@pytest.fixture(autouse=True)
def no_attempts_so_far() -> None:
    cache.clear()


def sign_in(name: str, password: str, *, origin: str, **headers: str) -> Any:
    return Client(REMOTE_ADDR=origin).post(
        "/sign-in/", {"login": name, "password": password}, headers=headers
    )


def guess(name: str, *, origin: str, times: int = 5) -> None:
    for _ in range(times):
        sign_in(name, "wrong", origin=origin)


def is_stopped(response: Any) -> bool:
    return "Too many attempts" in response.content.decode()


def set_new_password(client: Client, chosen: str) -> Any:
    form = client.get(link_in(last_mail().body), follow=True)
    return client.post(form.request["PATH_INFO"], {"password1": chosen, "password2": chosen})


@pytest.mark.parametrize("name", ["ash", "ash@example.org", "Ash@Example.org"])
def test_wrong_guesses_elsewhere_do_not_stop_the_owner(name: str) -> None:
    person("ash")
    guess(name, origin=STRANGER, times=12)
    assert is_stopped(sign_in(name, PASSWORD, origin=STRANGER))
    assert sign_in(name, PASSWORD, origin=OWNER).headers["Location"] == "/"


def test_the_limit_says_how_long_to_wait_and_offers_a_password_reset() -> None:
    person("ash")
    with time_machine.travel(timezone.now(), tick=False) as clock:
        guess("ash", origin=OWNER)
        clock.shift(timedelta(seconds=100))
        page = sign_in("ash", PASSWORD, origin=OWNER).content.decode()
        assert "Try again in 4 minutes" in page
        assert re.search(r'role="alert">[^<]*<a href="/account/password/forgotten/">', page)
        clock.shift(timedelta(seconds=195))
        assert "Try again in 1 minute," in sign_in("ash", PASSWORD, origin=OWNER).content.decode()
        clock.shift(timedelta(seconds=10))
        assert sign_in("ash", PASSWORD, origin=OWNER).headers["Location"] == "/"


def test_guessing_at_many_addresses_from_one_origin_is_stopped_for_that_origin_alone() -> None:
    person("ash")
    for number in range(50):
        assert not is_stopped(sign_in(f"tree{number}@example.org", "wrong", origin=STRANGER))
    stopped = sign_in("ash", PASSWORD, origin=STRANGER)
    assert is_stopped(stopped)
    assert "Try again in 5 minutes" in stopped.content.decode()
    assert sign_in("ash", PASSWORD, origin=OWNER).headers["Location"] == "/"


def test_right_passwords_do_not_use_up_the_limit() -> None:
    person("ash")
    for _ in range(30):
        assert sign_in("ash", PASSWORD, origin=OWNER).status_code == 302


@pytest.mark.parametrize("name", ["ash", "ash@example.org"])
def test_a_new_password_by_mail_lifts_the_limit(name: str) -> None:
    user = person("ash")
    guess(name, origin=OWNER)
    client = Client(REMOTE_ADDR=OWNER)
    client.post("/account/password/forgotten/", {"email": user.email})
    chosen = "eleven loud aspens"
    assert set_new_password(client, chosen).headers["Location"] == "/"
    assert client.get("/account/").status_code == 200, "whoever has the link is signed in by it"
    assert sign_in(name, chosen, origin=OWNER).headers["Location"] == "/"


def test_a_new_password_by_mail_signs_in_even_where_the_whole_origin_is_stopped() -> None:
    user = person("ash")
    for number in range(50):
        sign_in(f"tree{number}@example.org", "wrong", origin=OWNER)
    client = Client(REMOTE_ADDR=OWNER)
    client.post("/account/password/forgotten/", {"email": user.email})
    set_new_password(client, "eleven loud aspens")
    assert client.get("/account/").status_code == 200
    assert is_stopped(sign_in("ash", "eleven loud aspens", origin=OWNER)), "it is no way around the limit"


def test_another_host_name_does_not_reset_the_limit() -> None:
    person("ash")
    for number in range(5):
        sign_in("ash", "wrong", origin=STRANGER, host=f"name{number}.example.org")
    assert is_stopped(sign_in("ash", PASSWORD, origin=STRANGER, host="another.example.org"))


def test_a_forged_origin_does_not_reset_the_limit() -> None:
    person("ash")
    for number in range(5):
        sign_in("ash", "wrong", origin=STRANGER, x_forwarded_for=f"192.0.2.{number}")
    assert is_stopped(sign_in("ash", PASSWORD, origin=STRANGER, x_forwarded_for="192.0.2.77"))


def test_behind_a_trusted_proxy_each_client_is_counted_by_itself(settings: Any) -> None:
    settings.TRUSTED_PROXIES = ["127.0.0.1"]
    person("ash")
    for number in range(5):
        # The proxy adds the address that it saw behind whatever the client has claimed.
        sign_in("ash", "wrong", origin="127.0.0.1", x_forwarded_for=f"192.0.2.{number}, {STRANGER}")
    assert is_stopped(sign_in("ash", PASSWORD, origin="127.0.0.1", x_forwarded_for=STRANGER))
    assert sign_in("ash", PASSWORD, origin="127.0.0.1", x_forwarded_for=OWNER).status_code == 302
    assert is_stopped(sign_in("ash", PASSWORD, origin=STRANGER, x_forwarded_for=OWNER)), "past the proxy"


def test_nobody_can_use_up_the_reset_mails_of_somebody_else() -> None:
    user = person("ash")
    for _ in range(15):
        assert ask_for_new_password(user.email, origin=STRANGER).status_code == 302
    mails = [mail for mail in arrived() if mail.to == [user.email]]
    assert len(mails) == 5, "a mailbox is not flooded"
    assert ask_for_new_password(user.email, origin=OWNER).headers["Location"] == "/account/password/sent/"
    client = Client(REMOTE_ADDR=OWNER)
    assert set_new_password(client, "eleven loud aspens").headers["Location"] == "/", "the last one works"


def test_signing_in_resets_the_limit_on_reset_mails() -> None:
    """Links sent before do not work any more once somebody has signed in."""
    user = person("ash")
    for _ in range(6):
        ask_for_new_password(user.email, origin=STRANGER)
    before = len(arrived())
    assert sign_in("ash", PASSWORD, origin=OWNER).status_code == 302
    ask_for_new_password(user.email, origin=OWNER)
    assert len(arrived()) == before + 1


def test_limits_on_mails_do_not_tell_whether_there_is_an_account() -> None:
    person("ash")
    for name in ("ash", "elm"):
        answers = [ask_for_new_password(f"{name}@example.org", origin=STRANGER) for _ in range(7)]
        assert [answer.status_code for answer in answers] == [302] * 7
    assert [mail.to[0] for mail in arrived()] == ["ash@example.org"] * 5 + ["elm@example.org"] * 5


def ask_for_new_password(address: str, *, origin: str) -> Any:
    return Client(REMOTE_ADDR=origin).post("/account/password/forgotten/", {"email": address})


def test_nobody_can_use_up_the_confirmation_mails_of_somebody_else() -> None:
    person("ash", confirmed=False)
    stranger = {"full_name": "Elm", "email": "ash@example.org", "password1": "nine silent poplars"}
    for _ in range(15):
        Client(REMOTE_ADDR=STRANGER).post("/account/new/", stranger)
    account = person("elm")
    client = Client(REMOTE_ADDR=STRANGER)
    client.force_login(account)
    for _ in range(6):
        client.post("/account/addresses/", {"action_add": "", "email": "ash@example.org"})
        client.post("/account/addresses/", {"action_send": "", "email": "ash@example.org"})
    before = len(arrived())
    sign_in("ash", PASSWORD, origin=OWNER)
    assert len(arrived()) == before + 1
    Client().post(link_in(last_mail().body))
    assert User.objects.get(username="ash").emailaddress_set.get().verified


def test_wrong_codes_are_counted_by_account_and_a_new_password_lifts_that() -> None:
    """Codes are short, so that many origins must not add up; only a thief of the password can try any."""
    user = person("ash")
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    for number in range(6):
        thief = Client(REMOTE_ADDR=f"203.0.113.{number}")
        thief.post("/sign-in/", {"login": "ash", "password": PASSWORD})
        page = thief.post("/account/second-factor/code/", {"code": "000000"}).content.decode()
    assert "Try again in 5 minutes" in page
    assert 'href="/account/password/forgotten/"' in page
    owner = Client(REMOTE_ADDR=OWNER)
    owner.post("/account/password/forgotten/", {"email": user.email})
    assert set_new_password(owner, "eleven loud aspens").headers["Location"] == "/account/second-factor/code/"
    done = owner.post("/account/second-factor/code/", {"code": code_of(secret)})
    assert done.headers["Location"] == "/"
