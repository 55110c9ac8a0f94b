"""Leases, heartbeats, and what is written down when a worker dies."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace

import pytest
from billiard.exceptions import WorkerLostError
from django.conf import settings as used
from django.utils import timezone

from sharedtask.api.models import Delivery
from sharedtask.competition.models import GoldVersion
from sharedtask.operations.sweep import sweep
from sharedtask.scorers.models import ScorerVersion
from sharedtask.software.models import Execution, StoredImage
from sharedtask.submissions.kinds import RETRIES, CheckRun
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.uploads.models import ResumableUpload
from sharedtask.work import dispatch, heartbeat, targets
from sharedtask.work.claim import claim
from sharedtask.work.lease import LEASE, PATIENCE
from sharedtask.work.sweep import LONGEST_WAIT
from tests.machinery.site import ROOT
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.working import check_run, claim_run, claim_scores
from workers import lost_processes

pytestmark = pytest.mark.django_db(transaction=True)
MAX_ATTEMPTS = RETRIES.max_attempts or 0
MAX_LOSSES = RETRIES.max_losses or 0
Upload = Callable[..., Run]
Work = Callable[[], None]


def test_a_dead_worker_is_noticed_within_a_minute(settings: object) -> None:

    assert LEASE + timedelta(seconds=used.SWEEP_SECONDS) <= timedelta(minutes=1)
    assert PATIENCE + timedelta(seconds=2 * used.SWEEP_SECONDS) <= timedelta(minutes=1)


def test_a_heartbeat_keeps_the_lease_of_a_living_worker(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = claim_run(upload(good_archive()).public_id)
    assert run is not None
    Run.objects.update(claimed_until=timezone.now() + timedelta(seconds=1))
    beaten = threading.Event()
    renew = heartbeat.renew
    monkeypatch.setattr(heartbeat, "interval_seconds", lambda kind: 0.01)
    monkeypatch.setattr(heartbeat, "renew", lambda kind, row: (renew(kind, row), beaten.set()))
    with heartbeat.keep_leases(CheckRun(), [run]):
        assert beaten.wait(10)
    run.refresh_from_db()
    assert run.claimed_until > timezone.now() + LEASE / 2
    assert not [thread for thread in threading.enumerate() if thread.name == "heartbeat"]


def test_finished_work_belongs_to_no_worker(upload: Upload, work: Work) -> None:
    """Neither does a run that was refused."""
    upload(good_archive())
    upload(b"not an archive")
    work()
    assert set(Run.objects.values_list("state", flat=True)) == {"scored", "refused"}
    for rows in (Run.objects.all(), Score.objects.all()):
        assert set(rows.values_list("claimed_by", "claimed_until")) == {("", None)}


def test_a_lease_that_was_lost_is_not_taken_back(upload: Upload) -> None:
    run = claim_run(upload(good_archive()).public_id)
    assert run is not None
    assert heartbeat.renew(CheckRun(), run)
    Run.objects.update(claimed_by="another machine:1")
    assert not heartbeat.renew(CheckRun(), run)


def test_work_of_a_dead_worker_is_dispatched_with_a_note_of_whom_it_lost(
    upload: Upload, dispatched: list[Sent]
) -> None:
    run = claim_run(upload(good_archive()).public_id)
    assert run is not None
    dispatched.clear()
    GoldVersion.objects.update(statistics={"words": 1}, released_at=None)
    swept = sweep(at=timezone.now() + LEASE + timedelta(seconds=1))
    assert (swept.lost, swept.dispatched_to(targets.CHECK_RUN)) == (1, 1)
    assert dispatched == [(targets.CHECK_RUN, [run.public_id])]
    run.refresh_from_db()
    assert (run.claimed_by, run.claimed_until, run.losses, run.attempts) == ("", None, 1, 0)
    assert run.failure["kind"] == "LostWorker"
    assert run.failure["whose"] == "ours"


def test_a_file_that_kills_every_worker_is_given_up_and_costs_no_quota(
    upload: Upload, work: Work, dispatched: list[Sent]
) -> None:
    run = upload(good_archive())
    at = timezone.now()
    for _ in range(MAX_LOSSES):
        assert claim_run(run.public_id, at=at) is not None
        at += LEASE + timedelta(seconds=1)
        sweep(at=at)
    run.refresh_from_db()
    assert (run.state, run.uses_quota) == ("failed", False)
    assert sweep(at=at + timedelta(days=1), strays=False).dispatched_to(targets.CHECK_RUN) == 0


@pytest.mark.parametrize(
    ("message", "signal", "exit_code"),
    [
        ("Worker exited prematurely: signal 9 (SIGKILL) Job: 3.", 9, None),
        ("Worker exited prematurely: exitcode 2 Job: 3.", None, 2),
    ],
)
def test_how_a_process_died_is_written_down(
    upload: Upload, work: Work, message: str, signal: int | None, exit_code: int | None
) -> None:
    run = upload(good_archive())
    check_run(run.public_id)
    (score,) = claim_scores([Score.objects.earliest("pk").public_id])
    sender = SimpleNamespace(name=targets.SCORE_FILES.task)
    lost_processes.record_death(sender=sender, exception=WorkerLostError(message), args=[[score.public_id]])
    score.refresh_from_db()
    assert (score.failure["signal"], score.failure["exit_code"]) == (signal, exit_code)
    assert score.failure["stage"] == "score"
    assert score.failure["test_set"] == "de_one"
    assert (score.losses, score.claimed_by, score.claimed_until) == (1, "", None)


def test_running_out_of_memory_is_recorded(
    upload: Upload, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = upload(good_archive())

    def eat(file: RunFile) -> None:
        raise MemoryError

    monkeypatch.setattr("sharedtask.submissions.check.check_file", eat)
    work()
    run.refresh_from_db()
    assert run.failure["out_of_memory"] is True
    assert run.failure["duration_seconds"] >= 0
    assert (run.claimed_by, run.state, run.attempts) == ("", "checking", 1)


def test_a_full_disk_is_retried_longer_than_a_programming_error(
    upload: Upload, work: Work, dispatched: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = upload(good_archive())
    with monkeypatch.context() as full:

        def no_space(file: RunFile) -> None:
            raise OSError(28, "No space left on device")

        full.setattr("sharedtask.submissions.check.check_file", no_space)
        for _ in range(MAX_ATTEMPTS + 2):
            Run.objects.update(claimed_until=None)
            dispatched.append((targets.CHECK_RUN, [run.public_id]))
            work()
    run.refresh_from_db()
    assert (run.state, run.attempts) == ("checking", MAX_ATTEMPTS + 2)
    Run.objects.update(claimed_until=None)
    dispatched.append((targets.CHECK_RUN, [run.public_id]))
    work()
    run.refresh_from_db()
    assert run.state == "scored"


def test_messages_in_a_long_queue_are_not_sent_twice(
    upload: Upload, dispatched: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = upload(good_archive())
    later = timezone.now() + PATIENCE + timedelta(seconds=1)
    monkeypatch.setattr(dispatch, "messages_in", lambda queue: 1)
    assert sweep(at=later).dispatched_to(targets.CHECK_RUN) == 0, "the workers have not come to it yet"
    assert sweep(at=later + LONGEST_WAIT).dispatched_to(targets.CHECK_RUN) == 1, (
        "one message was lost in a long queue"
    )
    Run.objects.update(dispatched_at=run.dispatched_at)
    monkeypatch.setattr(dispatch, "messages_in", lambda queue: 0)
    assert sweep(at=later).dispatched_to(targets.CHECK_RUN) == 1, "the broker was emptied"


def test_the_table_of_states_is_complete() -> None:
    """Every state is in deploy/README.md, with its owner, its deadline and its way out."""
    page = (ROOT / "deploy" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (resumable upload|run|file|score|standing|image|scorer|execution|webhook call) \| ([a-z]+) "
        r"\| (.+) \| (.+) \| (.+) \|$",
        page,
        re.MULTILINE,
    )
    documented = {(noun, state) for noun, state, *_ in rows}
    expected = {("run", state) for state in Run.State.values} | {
        ("run", status) for status in Run.Status.values
    }
    expected |= {("resumable upload", state) for state in ResumableUpload.State.values}
    expected |= {("file", state) for state in RunFile.State.values}
    expected |= {("score", state) for state in Score.State.values} | {
        ("standing", "requested"),
        ("standing", "failed"),
    }
    expected |= {("image", state) for state in StoredImage.State.values}
    expected |= {("scorer", state) for state in ScorerVersion.State.values}
    expected |= {("execution", state) for state in Execution.State.values}
    expected |= {("webhook call", state) for state in Delivery.State.values}
    assert documented == expected
    assert all(owner.strip() and deadline.strip() and out.strip() for _, _, owner, deadline, out in rows)


@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_goes_on_when_memory_is_short_for_a_moment(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = CheckRun()
    rows = claim(kind, [upload(good_archive()).public_id])
    assert len(rows) == 1
    beats = iter([MemoryError, None])
    beaten = threading.Event()

    def renew(kind: object, row: object) -> None:
        if next(beats, None):
            raise MemoryError
        beaten.set()

    monkeypatch.setattr(heartbeat, "interval_seconds", lambda kind: 0.01)
    monkeypatch.setattr(heartbeat, "renew", renew)
    with heartbeat.keep_leases(kind, rows):
        assert beaten.wait(10)
