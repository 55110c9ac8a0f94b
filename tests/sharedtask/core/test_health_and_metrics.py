"""Health, readiness and metrics: what an operator watches, and what nobody else may see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from sharedtask.core import health
from sharedtask.submissions.models import Run
from tests.sharedtask.support.building import TWO_ROOTS, good_archive

pytestmark = pytest.mark.django_db(transaction=True)
TOKEN = {"HTTP_AUTHORIZATION": "Bearer a token of the operator"}


@pytest.fixture
def token(settings: Any) -> None:
    settings.METRICS_TOKEN = "a token of the operator"


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


def test_metrics_do_not_exist_without_their_token(client: Client, settings: Any, token: None) -> None:
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", HTTP_AUTHORIZATION="Bearer guessed").status_code == 404
    assert client.get("/metrics", **TOKEN).status_code == 200
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", HTTP_AUTHORIZATION="Bearer ").status_code == 404


def test_metrics_tell_queues_ages_durations_and_failures(
    client: Client, token: None, upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    upload(good_archive(en_two=TWO_ROOTS))
    work()
    waiting = upload(good_archive())
    Run.objects.filter(pk=waiting.pk).update(attempts=2, failure={"stage": "check", "kind": "OSError"})
    client.get("/tasks/tiny/")
    told = client.get("/metrics", **TOKEN).content.decode()
    assert 'arboretum_runs{state="scored"} 1.0' in told
    assert 'arboretum_runs{state="received"} 1.0' in told
    assert 'arboretum_queue_messages{queue="score"}' in told
    assert "arboretum_score_seconds_count 1.0" in told
    assert 'arboretum_score_seconds_bucket{le="60"} 1.0' in told
    assert 'arboretum_score_seconds_bucket{le="+Inf"} 1.0' in told
    assert 'arboretum_failures_total{kind="OSError",stage="check"} 2.0' in told
    assert 'arboretum_request_seconds_count{address="task",method="GET",status="200"}' in told
    age = next(line for line in told.splitlines() if 'oldest_unfinished_seconds{what="run"}' in line)
    assert float(age.split()[-1]) > 0
    assert "tiny" not in told, "no name of a task, team or run"


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
