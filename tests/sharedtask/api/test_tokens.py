"""Tokens: what they allow, when they end, and what an answer says about it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client

from sharedtask.accounts import tokens
from sharedtask.accounts.models import AccessToken, User
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.teams.models import Team
from tests.sharedtask.support.calling import ROOT, Caller, secret_of
from tests.sharedtask.support.people import PASSWORD, person

pytestmark = pytest.mark.django_db


def test_who_a_token_belongs_to_and_what_it_may(member: User, team: Team) -> None:
    me = Caller(member).get("/me")
    assert me["username"] == "member"
    assert me["token"]["scopes"] == ["read", "submit"]
    assert [(each["task"], each["name"]) for each in me["teams"]] == [("tiny", "Alder")]
    assert [system["is_primary"] for system in me["teams"][0]["systems"]] == [True]
    assert me["organised_tasks"] == []


@pytest.mark.parametrize(
    ("header", "id"),
    [
        (None, "token-missing"),
        ("Bearer arb_wrong", "token-invalid"),
        ("Basic bWVtYmVyOnBhc3N3b3Jk", "token-invalid"),
        ("Bearer", "token-invalid"),
    ],
)
def test_a_missing_or_wrong_token_is_refused(db: None, header: str | None, id: str) -> None:
    headers = {"Authorization": header} if header else {}
    response = Client().get(f"{ROOT}/me", headers=headers)
    assert response.status_code == 401
    assert response["Content-Type"] == "application/problem+json"
    assert response["WWW-Authenticate"].startswith("Bearer")
    assert response.json()["id"] == id


def test_a_wrong_token_is_refused_where_none_is_needed(db: None) -> None:
    """Otherwise a typing error would look like missing permissions."""
    response = Client().get(f"{ROOT}/tasks", headers={"Authorization": "Bearer arb_wrong"})
    assert (response.status_code, response.json()["id"]) == (401, "token-invalid")


@pytest.mark.parametrize(
    ("change", "id"),
    [
        ({"expires_at": timedelta(seconds=-1)}, "token-expired"),
        ({"revoked_at": timedelta(0)}, "token-revoked"),
    ],
)
def test_an_expired_or_revoked_token_is_refused_with_its_name(
    member: User, change: dict[str, timedelta], id: str
) -> None:
    caller = Caller(member)
    now = clock.database_now()
    AccessToken.objects.update(**{name: now + delta for name, delta in change.items()})
    problem = caller.get("/me", status=401)
    assert problem["id"] == id
    assert "test" in problem["detail"]


def test_a_token_of_an_inactive_account_is_refused(member: User) -> None:
    caller = Caller(member)
    User.objects.update(is_active=False)
    assert caller.get("/me", status=401)["id"] == "token-invalid"


def test_only_the_hash_of_a_token_is_stored(member: User) -> None:
    secret = secret_of(member)
    row = AccessToken.objects.values().get()
    assert secret not in str(row)
    assert row["digest"] == tokens.digest_of(secret)


def test_a_scope_is_needed_for_writing(member: User, team: Team) -> None:
    problem = Caller(member, ["read"]).post("/runs/nonsense/withdraw", status=403)
    assert (problem["id"], problem["expected"]) == ("scope-missing", "submit")


def test_a_token_without_the_scope_organises_nothing(task: Task, member: User) -> None:
    task.organisers.add(member)
    assert Caller(member, ["read"]).get("/me")["organised_tasks"] == []
    assert Caller(member, ["organise"]).get("/me")["organised_tasks"] == ["tiny"]


def test_a_token_of_an_administrator_without_the_scope_is_a_participants(task: Task) -> None:
    root = User.objects.create_superuser("root")
    assert Caller(root, ["read", "submit"]).get("/me")["organised_tasks"] == []
    assert Caller(root, ["organise"]).get("/me")["organised_tasks"] == ["tiny"]


def test_an_organisers_token_needs_the_second_factor(task: Task, member: User, settings: Any) -> None:
    task.organisers.add(member)
    caller = Caller(member, ["organise"])
    settings.ORGANISERS_NEED_SECOND_FACTOR = True
    # To be made, and to be used.
    with pytest.raises(tokens.Refusal) as refusal:
        secret_of(member, ["organise"])
    assert refusal.value.id == "second-factor-missing"
    assert caller.get("/me", status=403)["id"] == "second-factor-missing"
    assert Caller(member, ["read"]).get("/me")["organised_tasks"] == []


def test_use_is_recorded_once_in_a_while(member: User) -> None:
    caller = Caller(member)
    AccessToken.objects.update(last_used_at=None)
    caller.get("/me")
    first = AccessToken.objects.get().last_used_at
    assert first is not None
    caller.get("/me")
    assert AccessToken.objects.get().last_used_at == first


def test_a_program_signs_out_by_revoking_its_token(member: User) -> None:
    caller = Caller(member)
    caller.send("DELETE", "/me/token", status=204)
    assert caller.get("/me", status=401)["id"] == "token-revoked"


def test_cookies_are_not_looked_at(client: Client, member: User) -> None:
    client.force_login(member)
    assert client.get(f"{ROOT}/me").status_code == 401
    assert client.get(f"{ROOT}/tasks").status_code == 200


@pytest.fixture
def signed_in(client: Client) -> Client:
    person("alder")
    response = client.post("/sign-in/", {"login": "alder", "password": PASSWORD})
    assert response.status_code == 302, response.content.decode()
    return client


def test_a_token_is_created_on_a_page_and_shown_once(signed_in: Client) -> None:
    response = signed_in.post(
        "/account/tokens/new/", {"name": "laptop", "scopes": ["read", "submit"], "days": "30"}
    )
    page = response.content.decode()
    assert response.status_code == 200, response.headers
    token = AccessToken.objects.get()
    secret = page.split('<code id="token">')[1].split("<")[0]
    assert token.digest == tokens.digest_of(secret)
    assert "no-store" in response["Cache-Control"]
    listed = signed_in.get("/account/tokens/").content.decode()
    assert "laptop" in listed and secret not in listed
    assert "1 for programs" in signed_in.get("/account/").content.decode()


def test_a_token_is_revoked_by_a_click_and_by_its_owner_only(signed_in: Client, member: User) -> None:
    own = tokens.create_token(
        user=User.objects.get(username="alder"), name="own", scopes=[], days=1, at=clock.database_now()
    ).token
    secret_of(member)
    other = member.access_tokens.get()
    assert signed_in.post(f"/account/tokens/{other.public_id}/revoke/").status_code == 404
    assert signed_in.post(f"/account/tokens/{own.public_id}/revoke/").status_code == 302
    own.refresh_from_db()
    other.refresh_from_db()
    assert own.revoked_at is not None and other.revoked_at is None


def test_a_new_password_revokes_no_token_and_says_which_exist(signed_in: Client) -> None:
    user = User.objects.get(username="alder")
    secret = secret_of(user)
    new = "eight quiet larches"
    response = signed_in.post(
        "/account/password/", {"oldpassword": PASSWORD, "password1": new, "password2": new}, follow=True
    )
    assert "Your access tokens remain valid: “test”" in response.content.decode()
    assert Client().get(f"{ROOT}/me", headers={"Authorization": f"Bearer {secret}"}).status_code == 200


def test_reading_works_although_the_use_of_the_token_cannot_be_recorded(member: User, team: Team) -> None:
    """As on a full disk."""
    caller = Caller(member)
    AccessToken.objects.update(last_used_at=None)

    def refuse_writing(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("UPDATE"):
            raise OperationalError("database or disk is full")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse_writing):
        assert caller.get("/me")["username"] == "member"
    assert AccessToken.objects.get().last_used_at is None
