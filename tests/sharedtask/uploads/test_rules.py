"""Deadline, quota, limits and expiry: the same rules as for the form, and those of unfinished uploads."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase
from sharedtask.core import clock, storage
from sharedtask.core.storage import Incoming
from sharedtask.operations import sweep
from sharedtask.submissions import resumable, workflow
from sharedtask.submissions.models import Run
from sharedtask.uploads import append, create, finish
from sharedtask.uploads.append import Superseded
from sharedtask.uploads.models import Part, ResumableUpload
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.tus import Tus

Stored = Callable[[str], list[str]]
pytestmark = pytest.mark.django_db


def close(phase: Phase, *, seconds: float) -> None:
    Phase.objects.filter(pk=phase.pk).update(closes_at=clock.database_now() + timedelta(seconds=seconds))


def test_an_upload_that_began_in_time_cannot_be_continued_after_the_closing(tus: Tus, phase: Phase) -> None:
    archive = good_archive()
    close(phase, seconds=3600)
    address = tus.begin(len(archive), phase="open")
    assert tus.patch(address, 0, archive[:100]).status_code == 204
    close(phase, seconds=-1)
    response = tus.patch(address, 100, archive[100:])
    assert (response.status_code, response.json()["id"]) == (403, "phase-closed")
    assert "has closed" in response.json()["detail"]
    assert tus.create(10).json()["id"] == "phase-closed"
    assert not Run.objects.exists()
    close(phase, seconds=3600)
    assert tus.patch(address, 100, archive[100:]).status_code == 204, "an extension lets it continue"
    assert Run.objects.count() == 1


def test_the_time_of_the_last_byte_counts(
    tus: Tus, phase: Phase, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The phase closes while the last request is being received."""
    archive = good_archive()
    address = tus.begin(len(archive))
    tus.patch(address, 0, archive[:100])
    authorise = resumable.RunPurpose.authorise

    def authorise_and_close(*arguments: Any) -> None:
        authorise(*arguments)
        close(phase, seconds=-0.001)

    monkeypatch.setattr(resumable.RunPurpose, "authorise", authorise_and_close)
    response = tus.patch(address, 100, archive[100:])
    assert (response.status_code, response.json()["id"]) == (403, "phase-closed")
    again = tus.patch(address, 100, archive[100:])
    assert again.json() == response.json(), "the reason stays the same"
    assert tus.send("HEAD", address).status_code == 403
    assert tus.send("GET", address).json()["refusal"]["id"] == "phase-closed"
    assert not Run.objects.exists()
    assert stored("uploads") == stored("partial") == stored("incoming") == []


def test_what_arrived_in_time_is_accepted_however_late_it_is_finished(
    tus: Tus, phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = good_archive()
    address = tus.begin(len(archive))
    monkeypatch.setattr(finish, "claim", lambda upload, at: False)
    assert tus.patch(address, 0, archive).status_code == 204
    monkeypatch.undo()
    assert ResumableUpload.objects.get().state == "received"
    close(phase, seconds=-0.001)
    ResumableUpload.objects.update(expires_at=clock.database_now() - timedelta(days=1))
    sweep.sweep()
    assert Run.objects.get().received_at == ResumableUpload.objects.get().received_at
    assert tus.send("GET", address).json()["receipt"] == Run.objects.get().get_absolute_url()


def test_finishing_twice_gives_the_same_run(tus: Tus, stored: Stored) -> None:
    """The first process dies after the run is recorded and before the upload is."""
    archive = good_archive()
    address = tus.begin(len(archive))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(finish, "record", lambda upload, **values: None)
        tus.patch(address, 0, archive)
    run = Run.objects.get()
    assert ResumableUpload.objects.get().state == "received"
    assert tus.send("HEAD", address).headers.get("Upload-Receipt") is None, "another process has claimed it"
    ResumableUpload.objects.update(finishing_until=clock.database_now())
    assert tus.send("HEAD", address)["Upload-Receipt"] == run.get_absolute_url()
    assert Run.objects.get() == run
    assert stored("uploads") == [run.public_id]
    assert storage.read(run.archive) == archive


def test_two_processes_that_finish_at_once_give_one_run(tus: Tus, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = good_archive()
    address = tus.begin(len(archive))
    accept = workflow.accept_upload

    def accept_twice(upload: Any) -> Run:
        copy = Incoming()
        copy.write(archive)
        accept(upload)
        return accept(upload.__class__(**{**upload.__dict__, "incoming": copy}))

    monkeypatch.setattr(workflow, "accept_upload", accept_twice)
    response = tus.patch(address, 0, archive)
    assert response["Upload-Receipt"] == Run.objects.get().get_absolute_url()
    assert storage.read(Run.objects.get().archive) == archive


def test_the_quota_is_asked_before_a_byte_is_accepted_and_again_at_the_end(tus: Tus, phase: Phase) -> None:
    archive = good_archive()
    Phase.objects.filter(pk=phase.pk).update(runs_total=1)
    first, second = tus.begin(len(archive)), tus.begin(len(archive))
    tus.patch(second, 0, archive[:-1])
    assert tus.patch(first, 0, archive).status_code == 204
    for response in (tus.create(len(archive)), tus.patch(second, len(archive) - 1, archive[-1:])):
        assert (response.status_code, response.json()["id"]) == (403, "phase-quota-used")
    assert Run.objects.count() == 1


def test_the_number_and_size_of_unfinished_uploads_is_limited(
    tus: Tus, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.UPLOAD_LIMITS = settings.UPLOAD_LIMITS | {"archive_bytes": 1000}
    assert tus.create(1001).status_code == 413
    for _ in range(3):
        address = tus.begin(1000)
    refused = tus.create(1)
    assert (refused.status_code, refused.json()["id"]) == (403, "open-uploads-too-large")
    assert "removed after 24 hours" in refused.json()["detail"]
    tus.send("DELETE", address)
    monkeypatch.setattr(resumable, "OPEN_UPLOADS", 3)
    tus.begin(1)
    refused = tus.create(1)
    assert (refused.status_code, refused.json()["id"]) == (403, "too-many-open-uploads")


def test_an_upload_without_progress_expires(tus: Tus, stored: Stored) -> None:
    address = tus.begin(100)
    ResumableUpload.objects.update(expires_at=clock.database_now() + timedelta(hours=1))
    tus.patch(address, 0, b"x" * 50)
    at = ResumableUpload.objects.get().expires_at
    assert at > clock.database_now() + timedelta(hours=23), "it has made progress"
    sweep.remove_strays(at=at - timedelta(seconds=1))
    assert tus.offset(address) == 50
    sweep.remove_strays(at=at + timedelta(seconds=1))
    assert tus.send("HEAD", address).status_code == 404
    assert stored("partial") == []
    assert not Part.objects.exists()


def test_files_without_an_upload_are_removed(tus: Tus, stored: Stored) -> None:
    address = tus.begin(100)
    tus.patch(address, 0, b"x" * 50)
    storage.store("partial/nobodys/000-abc", [b"x"])
    later = clock.database_now() + timedelta(hours=7)
    assert sweep.remove_strays(at=later) == 1
    assert len(stored("partial")) == 1
    assert tus.offset(address) == 50


def fail_with(code: int) -> Callable[..., None]:
    def fail(*arguments: Any) -> None:
        raise OSError(code, os.strerror(code))

    return fail


def test_a_full_disk_is_reported_and_damages_nothing(
    tus: Tus, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = good_archive()
    address = tus.begin(len(archive))
    tus.patch(address, 0, archive[:100])
    for name in ("write", "commit"):
        with monkeypatch.context() as patched:
            patched.setattr(Incoming, name, fail_with(errno.ENOSPC))
            response = tus.patch(address, 100, archive[100:])
        assert (response.status_code, response.json()["id"]) == (507, "server-disk-full")
        assert "resume later" in response.json()["detail"]
        assert response["Retry-After"]
        assert tus.offset(address) == 100
        assert stored("incoming") == []
    with monkeypatch.context() as patched:
        patched.setattr(create, "RESERVED_BYTES", 2**60)
        assert tus.create(10).status_code == 507
    assert tus.patch(address, 100, archive[100:]).status_code == 204
    assert storage.read(Run.objects.get().archive) == archive


def test_a_disk_that_is_full_at_the_very_end_loses_nothing(tus: Tus, monkeypatch: pytest.MonkeyPatch) -> None:
    """All bytes are stored, and only the run cannot be written."""
    archive = good_archive()
    address = tus.begin(len(archive))
    with monkeypatch.context() as patched:
        patched.setattr(workflow, "accept_upload", fail_with(errno.ENOSPC))
        assert tus.patch(address, 0, archive).status_code == 507
    ResumableUpload.objects.update(finishing_until=clock.database_now())
    sweep.sweep()
    assert storage.read(Run.objects.get().archive) == archive


def test_the_latest_of_two_requests_wins(tus: Tus, member: User, stored: Stored) -> None:
    """The older one still waits for bytes of a lost connection while the newer one continues."""
    archive = good_archive()
    address = tus.begin(len(archive))
    upload = ResumableUpload.objects.get()

    def slow_body() -> Any:
        yield b"?" * 50
        assert tus.patch(address, 0, archive[:200]).status_code == 204
        yield b"?" * 50

    with pytest.raises(Superseded):
        append.append(upload, 0, slow_body())
    assert tus.offset(address) == 200
    assert stored("incoming") == []
    assert len(stored(f"partial/{upload.public_id}")) == 1
    assert tus.patch(address, 200, archive[200:]).status_code == 204
    assert storage.read(Run.objects.get().archive) == archive


def test_a_request_of_a_cancelled_upload_leaves_nothing(tus: Tus, stored: Stored) -> None:
    address = tus.begin(100)
    upload = ResumableUpload.objects.get()

    def slow_body() -> Any:
        yield b"?" * 50
        tus.send("DELETE", address)
        yield b"?" * 50

    with pytest.raises(Superseded):
        append.append(upload, 0, slow_body())
    assert stored("incoming") == []
    assert [name for folder in stored("partial") for name in stored(f"partial/{folder}")] == []


def test_an_upload_whose_parts_are_not_in_a_restored_backup_is_refused(tus: Tus) -> None:
    archive = good_archive()
    address = tus.begin(len(archive))
    tus.patch(address, 0, archive[:100])
    storage.remove("partial")
    response = tus.patch(address, 100, archive[100:])
    assert (response.status_code, response.json()["id"]) == (403, "upload-parts-lost")
    assert not Run.objects.exists()


def test_tiny_requests_without_end_are_refused(tus: Tus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(append, "MAX_PARTS", 2)
    address = tus.begin(100)
    assert [tus.patch(address, number, b"x").status_code for number in range(3)] == [204, 204, 400]
