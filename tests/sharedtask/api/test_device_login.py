"""Signing in a program that has no browser."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from sharedtask.accounts import device_login
from sharedtask.accounts.models import AccessToken, DeviceAuthorization
from sharedtask.core import clock
from tests.sharedtask.support.calling import Caller
from tests.sharedtask.support.people import PASSWORD, person

pytestmark = pytest.mark.django_db
BEGIN, POLL = "/device-authorizations", "/device-authorizations/token"


@pytest.fixture
def program() -> Caller:
    return Caller()


@pytest.fixture
def codes(program: Caller) -> dict[str, Any]:
    begun: dict[str, Any] = program.post(BEGIN, {"client_name": "arboretum on elm"}, status=201)
    return begun


@pytest.fixture
def signed_in(client: Client) -> Client:
    person("alder")
    client.post("/sign-in/", {"login": "alder", "password": PASSWORD})
    return client


def poll(program: Caller, codes: dict[str, Any], status: int = 400) -> Any:
    # As if the program had waited between its requests.
    DeviceAuthorization.objects.update(last_polled_at=None)
    return program.post(POLL, {"device_code": codes["device_code"]}, status=status)


def test_a_confirmed_program_gets_a_token_once(
    program: Caller, codes: dict[str, Any], signed_in: Client
) -> None:
    assert poll(program, codes)["id"] == "authorization-pending"
    page = signed_in.get("/account/device/", {"code": codes["user_code"]}).content.decode()
    assert "arboretum on elm" in page and "upload runs" in page
    signed_in.post("/account/device/", {"code": codes["user_code"], "decision": "approve"})
    new = poll(program, codes, status=200)
    program.headers = {"Authorization": f"Bearer {new['token']}"}
    assert program.get("/me")["username"] == "alder"
    assert new["scopes"] == ["read", "submit"]
    program.headers = {}
    assert poll(program, codes)["id"] == "expired"
    assert AccessToken.objects.count() == 1


def test_opening_the_page_confirms_nothing(program: Caller, codes: dict[str, Any], signed_in: Client) -> None:
    signed_in.get(codes["verification_uri_complete"])
    signed_in.post("/account/device/", {"code": codes["user_code"]})
    assert poll(program, codes)["id"] == "authorization-pending"


def test_a_denied_program_gets_nothing(program: Caller, codes: dict[str, Any], signed_in: Client) -> None:
    signed_in.post("/account/device/", {"code": codes["user_code"].lower(), "decision": "deny"})
    assert poll(program, codes)["id"] == "denied"
    assert not AccessToken.objects.exists()


def test_a_code_expires(program: Caller, codes: dict[str, Any], signed_in: Client) -> None:
    DeviceAuthorization.objects.update(expires_at=clock.database_now())
    assert poll(program, codes)["id"] == "expired"
    response = signed_in.post("/account/device/", {"code": codes["user_code"], "decision": "approve"})
    assert response.status_code == 404
    assert device_login.remove_expired(at=clock.database_now() + timedelta(seconds=1)) == 1


def test_a_program_that_asks_too_often_is_slowed_down(program: Caller, codes: dict[str, Any]) -> None:
    poll(program, codes)
    assert program.post(POLL, {"device_code": codes["device_code"]}, status=400)["id"] == "slow-down"


def test_a_visitor_signs_in_before_confirming(codes: dict[str, Any]) -> None:
    response = Client().get("/account/device/", {"code": codes["user_code"]})
    assert response.status_code == 302 and response["Location"].startswith("/sign-in/")


def test_organising_needs_the_second_factor(program: Caller, signed_in: Client, settings: Any) -> None:
    settings.ORGANISERS_NEED_SECOND_FACTOR = True
    codes = program.post(BEGIN, {"scopes": ["organise"]}, status=201)
    response = signed_in.post("/account/device/", {"code": codes["user_code"], "decision": "approve"})
    assert response.status_code == 409 and "second factor" in response.content.decode()
    assert poll(program, codes)["id"] == "authorization-pending"
