"""The folder in the pages: sealed on arrival, planned and applied by a worker, exported to one browser."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Task
from sharedtask.core import clock
from sharedtask.folders import jobs
from sharedtask.folders.files import to_zip
from sharedtask.folders.jobs import FolderWork
from sharedtask.folders.models import FolderJob
from sharedtask.work.claim import claim
from sharedtask.work.perform import perform
from sharedtask.work.sweep import sweep
from tests.sharedtask.support.folders import FILES, TASK
from tests.sharedtask.support.sending import Sent

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]


def zipped(**replaced: str) -> bytes:
    files = FILES | {"task.yaml": replaced.get("task", TASK)}
    return to_zip({name: content.encode() for name, content in files.items()})


@pytest.fixture
def root(client: Client) -> User:
    user = User.objects.create_superuser("root", password="a long password")
    client.force_login(user)
    return user


def send(client: Client, address: str, content: bytes, reason: str = "spring") -> Any:
    upload = SimpleUploadedFile("task.zip", content, "application/zip")
    return client.post(address, {"folder": upload, "reason": reason})


def imported(client: Client, work: Work) -> Task:
    page = send(client, "/organise/new/", zipped())
    work()
    client.post(page.headers["Location"] + "approve/")
    work()
    return Task.objects.get(slug="full")


def test_a_new_task_is_planned_read_and_applied(
    client: Client, root: User, work: Work, data_dir: Path
) -> None:
    page = send(client, "/organise/new/", zipped())
    address = page.headers["Location"]
    waiting = client.get(address).content.decode()
    assert "A worker is reading and checking" in waiting
    assert 'hx-trigger="every 1s"' in waiting
    stored = [path.read_bytes() for path in data_dir.rglob("*") if path.is_file()]
    assert stored
    assert not any(b"loudly\tADV" in content or content.startswith(b"PK") for content in stored), "sealed"
    work()
    planned = client.get(address).content.decode()
    assert "What would change" in planned
    assert "add gold version 2 of en_two" in planned
    assert "What is visible to everyone, and when" in planned
    assert "When an organiser releases it on the page Gold: the gold of en_two." in planned
    assert "Open the task" not in planned
    assert not Task.objects.exists(), "nothing changes before the organiser approves"
    client.post(address + "approve/")
    work()
    changed = client.get(address).content.decode()
    assert "What changed" in changed
    assert '<a class="button" href="/tasks/full/">Open the task</a>' in changed
    task = Task.objects.get(slug="full")
    assert list(task.organisers.all()) == [root]
    entry = AuditEntry.objects.get(action="import-folder")
    assert (entry.who, entry.reason) == (root, "spring")
    assert not list((data_dir / "files" / "folders").iterdir()), "the zip is gone"


def test_problems_are_told_with_file_line_and_field(client: Client, root: User, work: Work) -> None:
    page = send(client, "/organise/new/", zipped(task=TASK.replace("seed: 7", "seed: seven")))
    work()
    result = client.get(page.headers["Location"]).content.decode()
    assert "cannot be imported" in result
    cells = re.sub(r">\s+<", "><", result)
    assert '<td><code>task.yaml</code></td><td class="figure">24</td><td><code>seed</code></td>' in cells
    assert not Task.objects.exists()
    client.post(page.headers["Location"] + "approve/")
    work()
    assert not Task.objects.exists(), "what was refused cannot be approved"


def test_a_plan_that_is_out_of_date_is_shown_again_and_not_applied(
    client: Client, root: User, work: Work
) -> None:
    task = imported(client, work)
    changed = TASK.replace("title: A full task", "title: Another title")
    page = send(client, "/tasks/full/organise/folder/", zipped(task=changed))
    work()
    Task.objects.filter(pk=task.pk).update(summary="Somebody was quicker.")
    client.post(page.headers["Location"] + "approve/")
    work()
    result = client.get(page.headers["Location"]).content.decode()
    assert "has changed since this plan was made" in result
    assert "summary Somebody was quicker." in result
    task.refresh_from_db()
    assert task.title == "A full task"
    client.post(page.headers["Location"] + "approve/")
    work()
    task.refresh_from_db()
    assert task.title == "Another title"


def test_a_folder_of_another_task_is_refused(client: Client, root: User, work: Work) -> None:
    imported(client, work)
    other = send(
        client, "/tasks/full/organise/folder/", zipped(task=TASK.replace("slug: full", "slug: other"))
    )
    taken = send(client, "/organise/new/", zipped())
    work()
    assert "found other, expected full" in client.get(other.headers["Location"]).content.decode()
    assert "expected a slug that no other task uses" in client.get(taken.headers["Location"]).content.decode()


def test_an_export_opens_in_the_browser_that_asked_and_nowhere_else(
    client: Client, root: User, work: Work, data_dir: Path
) -> None:
    imported(client, work)
    page = client.post("/tasks/full/organise/folder/export/", {"reason": "backup"})
    address = page.headers["Location"]
    cookie = next(iter(page.cookies.values()))
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Strict", address)
    assert client.get(address + "folder.zip").status_code == 404
    work()
    assert "Download the folder" in client.get(address).content.decode()
    got = client.get(address + "folder.zip")
    with zipfile.ZipFile(io.BytesIO(got.content)) as archive:
        assert archive.read("gold/en_two.2.conllu").decode() == FILES["gold/en_two.corrected.conllu"]
    assert got.headers["Cache-Control"] == "private, no-store"
    stored = [path.read_bytes() for path in (data_dir / "files" / "folders").iterdir()]
    assert len(stored) == 1
    assert b"task.yaml" not in stored[0]
    assert FolderJob.objects.filter(kind="export").values().get()["public_key"] != cookie.value

    other = Client()
    other.force_login(root)
    assert other.get(address + "folder.zip").status_code == 404
    assert "Only the browser that requested" in other.get(address).content.decode()
    other.cookies[cookie.key] = "00" * 32
    assert other.get(address + "folder.zip").status_code == 404
    assert AuditEntry.objects.get(action="export-folder").reason == "backup"


def test_the_pages_are_the_organisers(client: Client, root: User, work: Work, member: User) -> None:
    task = imported(client, work)
    job = FolderJob.objects.get()
    exported = client.post("/tasks/full/organise/folder/export/", {"reason": "backup"}).headers["Location"]
    client.force_login(member)
    addresses = [
        "/organise/new/",
        "/tasks/full/organise/folder/",
        "/tasks/full/organise/gold/",
        f"/organise/folders/{job.public_id}/",
        exported,
        exported + "folder.zip",
    ]
    assert {address: client.get(address).status_code for address in addresses} == dict.fromkeys(
        addresses, 404
    )
    assert send(client, "/organise/new/", zipped()).status_code == 404
    assert send(client, "/tasks/full/organise/folder/", zipped()).status_code == 404
    assert client.post("/tasks/full/organise/folder/export/", {"reason": "x"}).status_code == 404
    assert client.post(f"/organise/folders/{job.public_id}/approve/").status_code == 404
    assert "/organise/new/" not in client.get("/").content.decode()
    task.organisers.add(member)
    assert '<a href="/organise/new/">Create a task</a>' in client.get("/").content.decode()
    assert client.get("/organise/new/").status_code == 200
    assert FolderJob.objects.count() == 2


def test_an_invalid_upload_is_refused(client: Client, root: User, settings: Any) -> None:
    assert "Please choose" in client.post("/organise/new/", {"reason": "x"}).content.decode()
    assert "Please give a reason" in send(client, "/organise/new/", b"x", reason=" ").content.decode()
    settings.UPLOAD_LIMITS = settings.UPLOAD_LIMITS | {"archive_bytes": 100}
    assert "larger than 100 bytes" in send(client, "/organise/new/", b"x" * 101).content.decode()
    assert not FolderJob.objects.exists()
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(root)
    assert send(strict, "/organise/new/", b"x").status_code == 403


def test_a_lost_message_is_sent_again_and_old_zips_go(
    client: Client, root: User, work: Work, dispatched: list[Sent], data_dir: Path
) -> None:
    page = send(client, "/organise/new/", zipped())
    dispatched.clear()
    at = clock.database_now()
    assert sweep(FolderWork(), at=at).dispatched == 0
    assert sweep(FolderWork(), at=at + timedelta(minutes=1)).dispatched == 1
    work()
    assert FolderJob.objects.get().state == "planned"
    sweep(FolderWork(), at=at + timedelta(days=2))
    assert not list((data_dir / "files" / "folders").iterdir())
    assert "it was deleted after one day" in client.get(page.headers["Location"]).content.decode()


def test_a_failure_on_our_side_is_tried_again_and_then_told(
    client: Client, root: User, work: Work, monkeypatch: pytest.MonkeyPatch, as_worker: None
) -> None:
    send(client, "/organise/new/", zipped())

    def fail(folder: object) -> None:
        raise OSError("no disk")

    monkeypatch.setattr(jobs, "make_plan", fail)
    at = clock.database_now()
    public_id = FolderJob.objects.get().public_id
    for attempt in range(3):
        assert FolderJob.objects.get().attempts == attempt
        perform(FolderWork(), [public_id], at=at + timedelta(hours=attempt))
    job = FolderJob.objects.get()
    assert (job.state, job.failure["kind"]) == ("failed", "OSError")
    assert not claim(FolderWork(), [public_id])
