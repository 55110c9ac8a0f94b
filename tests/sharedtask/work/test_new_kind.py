"""A new kind of work is one class: here the run of a container for three hours, on a table of its own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from billiard.exceptions import WorkerLostError
from django.db import connection, models
from django.db.models import QuerySet

from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.work import heartbeat
from sharedtask.work.claim import claim
from sharedtask.work.failure import Failure
from sharedtask.work.kinds import WorkKind
from sharedtask.work.lease import Leased, released
from sharedtask.work.perform import perform
from sharedtask.work.retry import RetryPolicy
from sharedtask.work.sweep import sweep
from sharedtask.work.targets import Target
from tests.sharedtask.support.sending import Sent
from workers import lost_processes, tasks

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("table")]
SECOND = timedelta(seconds=1)
OUT_OF_ORDER = RuntimeError("the container engine does not answer")


class ContainerRun(Leased):
    image = models.CharField(max_length=80, unique=True)
    state = models.CharField(max_length=10, default="waiting")

    class Meta:
        app_label = "test_new_kind"

    def __str__(self) -> str:
        return self.image


class RunContainer(WorkKind[ContainerRun]):
    target = Target("workers.run_container", "containers")
    stage = "container"
    key = "image"
    lease = timedelta(minutes=15)
    patience = timedelta(minutes=10)
    time_limit = timedelta(hours=3)
    retries = RetryPolicy(
        max_attempts=2, max_losses=3, first_pause=timedelta(minutes=1), max_pause=timedelta(hours=1)
    )
    errors: list[Exception] = []
    """What the next runs fail with."""

    def waiting(self) -> QuerySet[ContainerRun]:
        return ContainerRun.objects.filter(state="waiting")

    def process(self, row: ContainerRun) -> None:
        if self.errors:
            raise self.errors.pop(0)
        self.waiting().filter(pk=row.pk).update(state="done", **released())

    def handle(self, row: ContainerRun, error: Exception, failure: Failure) -> bool:
        if isinstance(error, Refusal):
            ContainerRun.objects.filter(pk=row.pk).update(state="refused", **released())
        return isinstance(error, Refusal)

    def give_up(self, row: ContainerRun, failure: Failure) -> None:
        self.waiting().filter(pk=row.pk).update(state="failed", failure=failure.as_json())


KIND = RunContainer()
IMAGE = "parser:1"


@pytest.fixture
def table(db: None) -> Iterator[None]:
    with connection.schema_editor() as editor:
        editor.create_model(ContainerRun)
    ContainerRun.objects.create(image=IMAGE, dispatched_at=None)
    KIND.errors.clear()
    yield
    with connection.schema_editor() as editor:
        editor.delete_model(ContainerRun)


def row() -> ContainerRun:
    return ContainerRun.objects.get()


def test_it_is_sent_to_its_queue_claimed_once_and_done(dispatched: list[Sent]) -> None:
    at = clock.database_now()
    assert sweep(KIND, at=at).dispatched == 1
    assert dispatched == [(KIND.target, [IMAGE])]
    assert sweep(KIND, at=at + KIND.patience - SECOND).dispatched == 0, "the message may be under way"
    (claimed,) = claim(KIND, [IMAGE], at=at)
    assert claimed.claimed_until == at + KIND.lease
    assert claim(KIND, [IMAGE], at=at) == []
    ContainerRun.objects.update(**released())
    assert perform(KIND, [IMAGE]) == 1
    assert (row().state, row().claimed_by) == ("done", "")
    assert perform(KIND, [IMAGE]) == 0, "a message that comes twice"


def test_its_heartbeat_follows_its_own_lease(dispatched: list[Sent]) -> None:
    assert heartbeat.interval_seconds(KIND) == KIND.lease.total_seconds() / 3
    (claimed,) = claim(KIND, [IMAGE])
    ContainerRun.objects.update(claimed_until=clock.database_now() + SECOND)
    assert heartbeat.renew(KIND, claimed)
    until = row().claimed_until
    assert until is not None and until > clock.database_now() + KIND.lease / 2


def test_a_failure_is_retried_after_a_pause_and_then_given_up(dispatched: list[Sent]) -> None:
    at = clock.database_now()
    KIND.errors += [OUT_OF_ORDER, OUT_OF_ORDER]
    assert perform(KIND, [IMAGE], at=at) == 0
    assert (row().attempts, row().claimed_until, row().claimed_by) == (1, at + KIND.retries.first_pause, "")
    assert (row().failure["stage"], row().failure["kind"]) == ("container", "RuntimeError")
    assert sweep(KIND, at=at + KIND.retries.first_pause - SECOND).dispatched == 0, "it rests"
    again = at + KIND.retries.first_pause
    assert sweep(KIND, at=again).dispatched == 1, "whatever waits in the queue: it has no message"
    assert perform(KIND, [IMAGE], at=again) == 0
    assert row().state == "failed"
    assert sweep(KIND, at=again + timedelta(days=1)).dispatched == 0


def test_a_refusal_is_no_failure(dispatched: list[Sent]) -> None:
    KIND.errors.append(Refusal("no-entry-point", "The image has no entry point."))
    perform(KIND, [IMAGE])
    assert (row().state, row().attempts) == ("refused", 0)


def test_a_lost_worker_is_replaced_until_it_has_cost_too_many(dispatched: list[Sent]) -> None:
    at = clock.database_now()
    for losses in range(1, 3):
        assert claim(KIND, [IMAGE], at=at)
        assert sweep(KIND, at=at + KIND.lease - SECOND).lost == 0
        at += KIND.lease + SECOND
        dispatched.clear()
        swept = sweep(KIND, at=at)
        assert (swept.lost, swept.dispatched, row().losses) == (1, 1, losses)
        assert dispatched == [(KIND.target, [IMAGE])]
    assert claim(KIND, [IMAGE], at=at)
    assert sweep(KIND, at=at + KIND.lease + SECOND).dispatched == 0
    assert (row().state, row().failure["kind"]) == ("failed", "LostWorker")


def test_its_celery_task_has_its_time_limit_and_a_death_in_it_is_recorded(
    monkeypatch: pytest.MonkeyPatch, dispatched: list[Sent]
) -> None:
    task: Any = tasks.task_for_kind(KIND)
    assert task.name == KIND.target.task
    assert task.soft_time_limit == 3 * 60 * 60 < task.time_limit
    monkeypatch.setattr(lost_processes, "KINDS", (KIND,))
    (claimed,) = claim(KIND, [IMAGE])
    death = WorkerLostError("Worker exited prematurely: signal 9 (SIGKILL) Job: 3.")
    lost_processes.record_death(sender=SimpleNamespace(name=task.name), exception=death, args=[[IMAGE]])
    assert (row().losses, row().claimed_by, row().failure["signal"]) == (1, "", 9)
    assert row().failure["worker"] == claimed.claimed_by
    task([IMAGE])
    assert row().state == "done"
