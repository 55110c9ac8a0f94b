"""Health and readiness, and the pages of an unavailable site."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from sharedtask.core import health

pytestmark = pytest.mark.django_db(transaction=True)


def test_healthz_answers_without_the_database(
    client: Client, django_assert_num_queries: Callable[[int], Any]
) -> None:
    with django_assert_num_queries(0):
        assert client.get("/healthz").content == b"alive\n"


def test_readyz_names_what_is_down_without_details(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.get("/readyz").json() == {"database": True, "broker": True, "storage": True}

    def broken() -> None:
        raise OSError("/secret/path is full")

    monkeypatch.setitem(health.CHECKS, "storage", broken)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"database": True, "broker": True, "storage": False}


def test_an_unavailable_database_gives_503(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.raise_request_exception = False

    def away() -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("sharedtask.core.clock.database_now", away)
    answer = client.get("/")
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert b"Temporarily unavailable" in answer.content
    assert b"connection refused" not in answer.content


def test_an_unexpected_error_gives_500(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.raise_request_exception = False
    monkeypatch.setattr("sharedtask.core.clock.database_now", lambda: 1 / 0)
    assert client.get("/").status_code == 500
