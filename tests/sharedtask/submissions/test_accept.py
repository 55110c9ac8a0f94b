"""A receipt means that the upload is stored durably; an upload without a receipt leaves nothing behind."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import DatabaseError

from sharedtask.competition.models import Phase, Task
from sharedtask.core import clock, storage
from sharedtask.core.errors import Refusal
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Extension, Team
from sharedtask.teams.register import register
from sharedtask.work import dispatch
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.sending import Sent

Upload = Callable[..., Run]
Stored = Callable[[str], list[str]]
SECOND = timedelta(seconds=1)


@pytest.mark.django_db
def test_the_receipt_matches_the_stored_file(upload: Upload, stored: Stored) -> None:
    archive = good_archive()
    run = upload(archive)
    assert run.state == "received"
    assert run.sha256 == hashlib.sha256(archive).hexdigest()
    assert run.size_bytes == len(archive)
    assert storage.path_of(run.archive).read_bytes() == archive
    assert stored("incoming") == []


@pytest.mark.django_db(transaction=True)
def test_the_check_is_dispatched_after_the_commit(
    upload: Upload, dispatched: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    committed: list[bool] = []
    monkeypatch.setattr(
        dispatch,
        "send",
        lambda target, keys: committed.append(Run.objects.filter(public_id__in=keys).exists()),
    )
    upload(good_archive())
    assert committed == [True]


@pytest.mark.django_db
def test_the_file_is_on_the_disk_before_the_row_is_written(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    fsync, create = os.fsync, Run.objects.create
    monkeypatch.setattr(os, "fsync", lambda descriptor: (events.append("flushed"), fsync(descriptor)))
    monkeypatch.setattr(Run.objects, "create", lambda **values: (events.append("row"), create(**values))[1])
    upload(good_archive())
    assert events.index("row") >= 2
    assert events.index("row") == len(events) - 1


@pytest.mark.django_db
@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_disk_that_fails_leaves_nothing(
    upload: Upload, stored: Stored, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def fail(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(OSError, match="No space"):
        upload(good_archive())
    assert not Run.objects.exists()
    assert stored("uploads") == stored("incoming") == []


@pytest.mark.django_db
def test_a_row_that_cannot_be_written_leaves_no_file(
    upload: Upload, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**values: object) -> None:
        raise DatabaseError("the database is away")

    monkeypatch.setattr(Run.objects, "create", fail)
    with pytest.raises(DatabaseError):
        upload(good_archive())
    assert stored("uploads") == stored("incoming") == []


@pytest.mark.django_db(transaction=True)
def test_a_process_that_is_stopped_after_the_commit_loses_nothing(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(task: str, id: str) -> None:
        raise SystemExit(1)

    monkeypatch.setattr(dispatch, "send", stop)
    with pytest.raises(SystemExit):
        upload(good_archive())
    run = Run.objects.get()
    assert storage.path_of(run.archive).exists()


@pytest.mark.django_db(transaction=True)
def test_a_receipt_is_given_without_a_broker(
    task: Task, upload: Upload, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Away:
        def send_task(self, *args: object, **options: object) -> None:
            raise ConnectionRefusedError("no broker here")

    monkeypatch.undo()
    monkeypatch.setattr(dispatch, "broker", Away)
    run = upload(good_archive())
    assert run.state == "received"
    assert "the sweep will send it" in caplog.text


@pytest.mark.django_db
def test_an_empty_upload_is_refused(upload: Upload, stored: Stored) -> None:
    with pytest.raises(Refusal) as caught:
        upload(b"")
    assert caught.value.id == "upload-empty"
    assert stored("uploads") == stored("incoming") == []


@pytest.mark.django_db
def test_a_late_upload_is_refused(phase: Phase, upload: Upload, stored: Stored) -> None:
    phase.closes_at = clock.database_now()
    with pytest.raises(Refusal) as caught:
        upload(good_archive(), phase=phase)
    assert caught.value.id == "phase-closed"
    assert not Run.objects.exists()
    assert stored("uploads") == stored("incoming") == []


@pytest.mark.django_db
def test_an_early_upload_is_refused(phase: Phase, upload: Upload, stored: Stored) -> None:
    with pytest.raises(Refusal) as caught:
        upload(good_archive(), phase=phase, at=phase.opens_at - SECOND)
    assert caught.value.id == "phase-not-open"
    assert upload(good_archive(), phase=phase, at=phase.opens_at).number == 1


@pytest.mark.django_db
@pytest.mark.parametrize(("extended", "accepted"), [("all", True), ("ours", True), ("theirs", False)])
def test_an_extension_applies_only_to_its_team(
    task: Task, team: Team, phase: Phase, upload: Upload, extended: str, accepted: bool
) -> None:
    phase.closes_at = phase.opens_at + SECOND
    phase.save()
    teams = {"all": None, "ours": team, "theirs": register(task=task, name="Beech")}
    until = phase.opens_at + 10 * SECOND
    Extension.objects.create(phase=phase, team=teams[extended], closes_at=until, reason="a power cut")
    just_in_time = until - timedelta(microseconds=1)
    assert phase.is_open(at=just_in_time, team=team) is accepted
    assert Phase.objects.open(at=just_in_time, team=team).exists() is accepted
    assert not Phase.objects.open(at=until, team=team).exists()
    if accepted:
        upload(good_archive(), phase=phase, at=just_in_time)
    with pytest.raises(Refusal, match="has closed"):
        upload(good_archive(), phase=phase, at=until if accepted else just_in_time)


@pytest.mark.django_db
def test_a_run_beyond_the_quota_is_refused_and_leaves_nothing(
    phase: Phase, team: Team, upload: Upload, stored: Stored
) -> None:
    phase.runs_per_day, phase.runs_total = 1, 2
    first = upload(good_archive(), phase=phase, at=phase.opens_at)
    with pytest.raises(Refusal) as caught:
        upload(good_archive(), phase=phase, at=phase.opens_at + timedelta(hours=23, minutes=59))
    assert caught.value.id == "daily-quota-used"
    second = upload(good_archive(), phase=phase, at=phase.opens_at + timedelta(days=1))
    with pytest.raises(Refusal) as caught:
        upload(good_archive(), phase=phase, at=phase.opens_at + timedelta(days=2))
    assert caught.value.id == "phase-quota-used"
    assert stored("uploads") == sorted([first.public_id, second.public_id])
    Run.objects.filter(pk=first.pk).update(uses_quota=False)
    third = upload(good_archive(), phase=phase, at=phase.opens_at + timedelta(days=2))
    assert [first.number, second.number, third.number] == [1, 2, 3]


@pytest.mark.django_db
def test_a_blind_phase_accepts_confirmed_teams_only(
    blind_task: Task, blind_team: Team, upload: Upload
) -> None:
    assert upload(good_archive(), team=blind_team).number == 1
    waiting = register(task=blind_task, name="Beech")
    with pytest.raises(Refusal) as caught:
        upload(good_archive(), team=waiting)
    assert caught.value.id == "team-not-confirmed"


@pytest.mark.django_db
def test_only_an_own_checked_run_can_be_amended(task: Task, upload: Upload) -> None:
    unchecked = upload(good_archive())
    theirs = upload(good_archive(), team=register(task=task, name="Beech"))
    theirs.checked_at = theirs.received_at
    for run in (unchecked, theirs):
        with pytest.raises(Refusal) as caught:
            upload(good_archive(), amends=run)
        assert caught.value.id == "cannot-amend-run"


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "uploads/../../outside", ""])
def test_a_storage_name_cannot_point_outside_the_storage(name: str) -> None:
    with pytest.raises(ValueError, match="not a storage name"):
        storage.path_of(name)
