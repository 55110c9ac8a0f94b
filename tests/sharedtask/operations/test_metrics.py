"""Metrics: what an administrator watches, and what nobody else may see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from sharedtask.submissions.models import Run
from tests.sharedtask.support.building import TWO_ROOTS, good_archive

pytestmark = pytest.mark.django_db(transaction=True)
TOKEN = {"HTTP_AUTHORIZATION": "Bearer a token of the administrator"}


@pytest.fixture
def token(settings: Any) -> None:
    settings.METRICS_TOKEN = "a token of the administrator"


def test_metrics_do_not_exist_without_their_token(client: Client, settings: Any, token: None) -> None:
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", HTTP_AUTHORIZATION="Bearer guessed").status_code == 404
    assert client.get("/metrics", **TOKEN).status_code == 200
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", HTTP_AUTHORIZATION="Bearer ").status_code == 404


def test_metrics_show_queues_ages_durations_and_failures(
    client: Client, token: None, upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    upload(good_archive(en_two=TWO_ROOTS))
    work()
    waiting = upload(good_archive())
    Run.objects.filter(pk=waiting.pk).update(attempts=2, failure={"stage": "check", "kind": "OSError"})
    client.get("/tasks/tiny/")
    metrics = client.get("/metrics", **TOKEN).content.decode()
    assert 'arboretum_runs{state="scored"} 1.0' in metrics
    assert 'arboretum_runs{state="received"} 1.0' in metrics
    assert 'arboretum_queue_messages{queue="score"}' in metrics
    assert "arboretum_score_seconds_count 1.0" in metrics
    assert 'arboretum_score_seconds_bucket{le="60"} 1.0' in metrics
    assert 'arboretum_score_seconds_bucket{le="+Inf"} 1.0' in metrics
    assert 'arboretum_failures_total{kind="OSError",stage="check"} 2.0' in metrics
    assert 'arboretum_request_seconds_count{address="task",method="GET",status="200"}' in metrics
    age = next(line for line in metrics.splitlines() if 'oldest_unfinished_seconds{what="run"}' in line)
    assert float(age.split()[-1]) > 0
    assert "tiny" not in metrics, "no name of a task, team or run"
