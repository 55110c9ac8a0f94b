"""Whoever has a receipt has lost nothing; whoever has none has left nothing behind."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.utils import timezone

from sharedtask import handout, storage
from sharedtask.competition.models import Task
from sharedtask.faults import TeamFault
from sharedtask.submissions.models import Run
from tests.site.building import good_archive

Upload = Callable[..., Run]
Stored = Callable[[str], list[str]]


@pytest.mark.django_db
def test_the_receipt_names_what_is_stored(upload: Upload, stored: Stored) -> None:
    archive = good_archive()
    run = upload(archive)
    assert run.state == "received"
    assert run.sha256 == hashlib.sha256(archive).hexdigest()
    assert run.size_bytes == len(archive)
    assert storage.path_of(run.archive).read_bytes() == archive
    assert stored("incoming") == []


@pytest.mark.django_db(transaction=True)
def test_the_check_is_handed_out_after_the_commit(
    upload: Upload, handed_out: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    monkeypatch.setattr(
        handout, "send", lambda task, id: seen.append(Run.objects.filter(public_id=id).exists())
    )
    upload(good_archive())
    assert seen == [True]


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

    monkeypatch.setattr(handout, "send", stop)
    with pytest.raises(SystemExit):
        upload(good_archive())
    run = Run.objects.get()
    assert storage.path_of(run.archive).exists()


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_away_does_not_cost_the_receipt(
    task: Task, upload: Upload, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Away:
        def send_task(self, *args: object, **options: object) -> None:
            raise ConnectionRefusedError("no broker here")

    monkeypatch.undo()
    monkeypatch.setattr(handout, "broker", Away)
    run = upload(good_archive())
    assert run.state == "received"
    assert "the sweeper will" in caplog.text


@pytest.mark.django_db
def test_an_empty_upload_is_refused(upload: Upload, stored: Stored) -> None:
    with pytest.raises(TeamFault) as caught:
        upload(b"")
    assert caught.value.id == "upload-empty"
    assert stored("uploads") == stored("incoming") == []


@pytest.mark.django_db
def test_a_late_upload_is_refused(task: Task, upload: Upload, stored: Stored) -> None:
    task.closes_at = timezone.now() - timedelta(seconds=1)
    with pytest.raises(TeamFault) as caught:
        upload(good_archive(), task=task)
    assert caught.value.id == "task-closed"
    assert not Run.objects.exists()
    assert stored("uploads") == stored("incoming") == []


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "uploads/../../outside", ""])
def test_a_storage_name_cannot_leave_the_storage(name: str) -> None:
    with pytest.raises(ValueError, match="not a storage name"):
        storage.path_of(name)
