"""Accounts: confirmed addresses, no way to find out who has one, limits on attempts, a second factor."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.hashers import get_hasher
from django.core.cache import cache
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from tests.sharedtask.support.people import (
    PASSWORD,
    arrived,
    code_of,
    last_mail,
    link_in,
    password_again,
    person,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_attempts_so_far() -> None:
    cache.clear()


def sign_up(client: Client, address: str, **changed: str) -> Any:
    form = {"full_name": "Ash", "email": address, "password1": PASSWORD} | changed
    return client.post("/account/new/", form)


def shape(response: Any) -> tuple[int, str, str]:
    """What an answer tells, but for the token against forgery."""
    page = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", response.content.decode())
    return response.status_code, response.headers.get("Location", ""), page


def test_an_account_opens_when_its_address_is_confirmed(client: Client) -> None:
    assert sign_up(client, "ash@example.org").headers["Location"] == "/account/confirm/"
    user = User.objects.get()
    assert user.full_name == "Ash"
    assert user.username.startswith("ash-")
    refused = Client().post("/sign-in/", {"login": "ash@example.org", "password": PASSWORD})
    assert refused.headers["Location"] == "/account/confirm/"
    assert client.get("/account/").status_code == 302, "nobody is signed in yet"
    path = link_in(arrived()[0].body)
    assert "Is <strong>ash@example.org</strong> your address?" in client.get(path).content.decode()
    assert not EmailAddress.objects.get().verified, "robots that follow links confirm nothing"
    client.post(path)
    assert EmailAddress.objects.get().verified
    assert "ash@example.org" in client.get("/account/").content.decode()
    signed_in = Client().post("/sign-in/", {"login": "ash@example.org", "password": PASSWORD})
    assert signed_in.headers["Location"] == "/"


def test_weak_passwords_and_missing_fields_are_told_beside_their_field(client: Client) -> None:
    page = sign_up(client, "ash@example.org", password1="12345678").content.decode()
    assert "too common" in page
    assert 'id="id_password1_error"' in page
    assert sign_up(client, "no address").status_code == 200
    assert not User.objects.exists()


def test_signing_up_does_not_tell_whether_there_is_an_account(monkeypatch: pytest.MonkeyPatch) -> None:
    person("ash")
    hashed: list[str] = []
    hasher = type(get_hasher())
    encode = hasher.encode
    monkeypatch.setattr(hasher, "encode", lambda *args: hashed.append("once") or encode(*args))
    known = sign_up(Client(), "ash@example.org")
    assert hashed == ["once"], "as long as a new account takes"
    unknown = sign_up(Client(), "elm@example.org")
    assert hashed == ["once", "once"]
    assert shape(known) == shape(unknown)
    pages = [client.get("/account/confirm/") for client in (Client(), Client())]
    assert shape(pages[0]) == shape(pages[1])
    assert {message.to[0]: message.subject for message in arrived()} == {
        "ash@example.org": "[Arboretum] You already have an account",
        "elm@example.org": "[Arboretum] Please confirm your e-mail address",
    }
    assert User.objects.filter(email="ash@example.org").count() == 1


def test_two_people_with_the_same_name_do_not_learn_of_each_other() -> None:
    assert shape(sign_up(Client(), "a@example.org")) == shape(sign_up(Client(), "b@example.org"))
    assert len({user.username for user in User.objects.all()}) == 2


def test_signing_in_and_resetting_do_not_tell_whether_there_is_an_account() -> None:
    person("ash")
    for name in ("ash", "ash@example.org"):
        wrong = Client().post("/sign-in/", {"login": name, "password": "wrong"}).content.decode()
        nobody = Client().post("/sign-in/", {"login": name.replace("ash", "elm"), "password": "wrong"})
        assert "Incorrect name or password" in wrong
        masked = [page.replace("elm", "ash") for page in (wrong, nobody.content.decode())]
        tokens = [re.sub(r'value="\w{64}"', "", page) for page in masked]
        assert tokens[0] == tokens[1]
    forms = [{"email": f"{name}@example.org"} for name in ("ash", "elm")]
    asked = [Client().post("/account/password/forgotten/", form) for form in forms]
    assert shape(asked[0]) == shape(asked[1])
    assert [message.to for message in arrived()] == [["ash@example.org"], ["elm@example.org"]]


def test_an_unconfirmed_account_and_a_wrong_password_look_alike() -> None:
    person("ash", confirmed=False)
    answers = [Client().post("/sign-in/", {"login": name, "password": "wrong"}) for name in ("ash", "elm")]
    pages = [shape(answer)[2].replace("elm", "ash") for answer in answers]
    assert pages[0] == pages[1]


def test_a_forgotten_password_is_reset_by_a_link_that_works_once(client: Client) -> None:
    user = person("ash")
    client.post("/account/password/forgotten/", {"email": user.email})
    path = link_in(last_mail().body)
    form = client.get(path, follow=True)
    assert "Set a new password" in form.content.decode()
    chosen = "eleven loud aspens"
    client.post(form.request["PATH_INFO"], {"password1": chosen, "password2": chosen})
    user.refresh_from_db()
    assert user.check_password(chosen)
    again = Client().get(path, follow=True).content.decode()
    assert "has expired or has already been used" in again


def test_guessing_is_stopped_after_a_few_attempts() -> None:
    person("ash")
    for _ in range(5):
        Client().post("/sign-in/", {"login": "ash", "password": "wrong"})
    right = Client().post("/sign-in/", {"login": "ash", "password": PASSWORD})
    assert "Too many attempts" in right.content.decode()
    other = person("elm")
    assert Client().post("/sign-in/", {"login": other.username, "password": PASSWORD}).status_code == 302


def test_many_new_accounts_from_one_place_are_stopped() -> None:
    answers = [sign_up(Client(), f"tree{number}@example.org").status_code for number in range(21)]
    assert answers == [302] * 20 + [429]
    assert "Too many attempts" in sign_up(Client(), "last@example.org").content.decode()


def age_session(client: Client, *, seconds: int) -> None:
    """As if the person had given the password this much earlier."""
    session = client.session
    records = session[AUTHENTICATION_METHODS_SESSION_KEY]
    session[AUTHENTICATION_METHODS_SESSION_KEY] = [
        record | {"at": record["at"] - seconds} for record in records
    ]
    session.save()


def test_a_new_superuser_gives_the_password_once(settings: Any) -> None:
    settings.ORGANISERS_NEED_SECOND_FACTOR = True
    root = User.objects.create_superuser("root", email="root@example.org", password=PASSWORD)
    EmailAddress.objects.create(user=root, email=root.email, primary=True, verified=True)
    client = Client()
    client.post("/sign-in/", {"login": "root", "password": PASSWORD})
    page = client.get("/", follow=True).content.decode()
    secret = re.search(r'id="secret" readonly value="(\w+)"', page)
    assert secret is not None
    done = client.post("/account/second-factor/set-up/", {"code": code_of(secret[1])}, follow=True)
    assert "Recovery codes" in done.content.decode()
    # Other changes to the account still ask for it.
    assert client.get("/account/delete/").headers["Location"].startswith("/account/again/")


def test_an_organiser_without_second_factor_is_led_to_its_set_up(task: Task, settings: Any) -> None:
    settings.ORGANISERS_NEED_SECOND_FACTOR = True
    organiser = person("oak")
    task.organisers.add(organiser)
    client = Client()
    client.post("/sign-in/", {"login": "oak", "password": PASSWORD})
    for path in ("/", "/tasks/tiny/", "/tasks/tiny/organise/teams/", "/notices/", "/admin/", "/nowhere/"):
        assert client.get(path).headers["Location"] == "/account/second-factor/set-up/", path
    decided = client.post("/tasks/tiny/organise/teams/any/", {"decision": "confirm"})
    assert decided.headers["Location"] == "/account/second-factor/set-up/", "what is posted is not done"

    right_after = client.get("/account/second-factor/set-up/")
    assert right_after.status_code == 200, "the password has just been given"
    age_session(client, seconds=301)
    asked = client.get("/account/second-factor/set-up/")
    assert asked.headers["Location"].startswith("/account/again/"), (
        "it has to be the person with the password"
    )
    page = password_again(client, "/account/second-factor/set-up/").content.decode()
    secret = re.search(r'id="secret" readonly value="(\w+)"', page)
    assert secret is not None
    wrong = client.post("/account/second-factor/set-up/", {"code": "000000"})
    assert "Incorrect code" in wrong.content.decode()
    done = client.post("/account/second-factor/set-up/", {"code": code_of(secret[1])}, follow=True)
    assert "Recovery codes" in done.content.decode()
    assert client.get("/tasks/tiny/organise/teams/").status_code == 200

    # From now on the password alone opens nothing.
    again = Client()
    assert again.post("/sign-in/", {"login": "oak", "password": PASSWORD}).headers["Location"] == (
        "/account/second-factor/code/"
    )
    assert again.get("/tasks/tiny/organise/teams/").headers["Location"].startswith("/sign-in/")
    cache.clear()  # A code works once; a minute later there would be another.
    assert again.post("/account/second-factor/code/", {"code": code_of(secret[1])}).headers["Location"] == "/"
    assert again.get("/tasks/tiny/organise/teams/").status_code == 200
    codes = Authenticator.objects.get(type=Authenticator.Type.RECOVERY_CODES).wrap().get_unused_codes()
    third = Client()
    third.post("/sign-in/", {"login": "oak", "password": PASSWORD})
    assert third.post("/account/second-factor/code/", {"code": codes[0]}).headers["Location"] == "/"
    fourth = Client()
    fourth.post("/sign-in/", {"login": "oak", "password": PASSWORD})
    assert fourth.post("/account/second-factor/code/", {"code": codes[0]}).status_code == 200, "it works once"


def test_participants_need_no_second_factor_and_staff_does(task: Task, settings: Any, client: Client) -> None:
    settings.ORGANISERS_NEED_SECOND_FACTOR = True
    client.force_login(person("ash"))
    assert client.get("/").status_code == 200
    staff = person("elm")
    staff.is_staff = True
    staff.save()
    client.force_login(staff)
    assert client.get("/").status_code == 302
    settings.SECOND_FACTOR_EXCUSED = frozenset({"elm"})
    assert client.get("/").status_code == 200


def test_the_admin_pages_have_no_sign_in_of_their_own(client: Client) -> None:
    """It would let an organiser in by password alone."""
    assert client.get("/admin/login/").headers["Location"] == "/sign-in/?next=%2Fadmin%2Flogin%2F"
    answer = client.post("/admin/login/", {"username": "ash", "password": PASSWORD})
    assert answer.headers["Location"].startswith("/sign-in/")


def test_every_page_of_an_account_is_a_page_of_the_site(client: Client) -> None:
    client.post("/sign-in/", {"login": person("ash").username, "password": PASSWORD})
    password_again(client, "/account/")
    for path in (
        "",
        "addresses/",
        "password/",
        "second-factor/",
        "second-factor/set-up/",
        "notices/",
        "delete/",
    ):
        response = client.get(f"/account/{path}")
        assert response.status_code == 200, path
        page = response.content.decode()
        assert "<h1>" in page
        assert "Arboretum" in page
        assert "<script>" not in page
        for control in re.findall(r'<(?:input|select|textarea)[^>]*\bid="([^"]+)"', page):
            assert f'<label for="{control}"' in page, (path, control)


def test_an_account_made_at_the_terminal_confirms_its_address_at_the_first_sign_in(client: Client) -> None:
    User.objects.create_superuser("root", email="root@example.org", password=PASSWORD)
    sent = client.post("/sign-in/", {"login": "root", "password": PASSWORD})
    assert sent.headers["Location"] == "/account/confirm/"
    client.post(link_in(last_mail().body))
    assert client.get("/account/").status_code == 200
