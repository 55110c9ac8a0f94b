"""A single corrected gold file by upload: sealed on arrival, checked by a worker, reviewed on its page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, GoldVersion, Task
from sharedtask.folders.models import FolderJob
from sharedtask.standings.corrections import pending_corrections
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.models import Team
from tests.sharedtask.support.building import LOUDLY, SECOND, TWO_ROOTS

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]
PAGE = "/tasks/tiny/organise/gold/"


@pytest.fixture
def signed_in(client: Client, organiser: User) -> Client:
    client.force_login(organiser)
    return client


def send(client: Client, content: str | None, *, code: str = "en_two", reason: str = "Oblique.") -> Any:
    fields: dict[str, Any] = {"code": code, "reason": reason}
    if content is not None:
        fields["gold"] = SimpleUploadedFile("corrected.conllu", content.encode())
    return client.post(PAGE + "correct/", fields)


def test_a_corrected_file_becomes_a_version_to_review(
    signed_in: Client, task: Task, runs: tuple[Run, Run], work: Work, organiser: User, data_dir: Path
) -> None:
    page = signed_in.get(PAGE).content.decode()
    assert "Upload the complete corrected file of one test set" in page
    address = send(signed_in, LOUDLY).headers["Location"]
    assert "A worker is checking the file" in signed_in.get(address).content.decode()
    stored = [path.read_bytes() for path in (data_dir / "files" / "folders").iterdir()]
    assert stored and not any(b"loudly" in content for content in stored), "sealed"
    work()
    result = signed_in.get(address).content.decode()
    assert "The file is stored as gold version 2 of en_two" in result and "Review the correction" in result
    (version,) = pending_corrections(task)
    assert (version.number, version.note, version.created_by) == (2, "Oblique.", organiser)
    assert version.released_at is None and version.test_set.gold_in_force.number == 1
    assert Score.objects.filter(gold=version, state=Score.State.SCORED).count() == 2
    assert "Corrections to review" in signed_in.get(PAGE).content.decode()
    entry = AuditEntry.objects.get(action="upload-gold")
    assert (entry.who, entry.reason, entry.subject) == (organiser, "Oblique.", "en_two version 2")
    assert not list((data_dir / "files" / "folders").iterdir()), "the upload is gone"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (TWO_ROOTS, "en_two.conllu"),
        (LOUDLY.replace("Birds", "Bees"), "en_two.conllu"),
        (SECOND, "this is version 1 of en_two, unchanged"),
        ("", "en_two.conllu"),
    ],
    ids=["two roots", "another text", "unchanged", "empty"],
)
def test_a_file_with_problems_is_refused(
    signed_in: Client, task: Task, work: Work, content: str, problem: str
) -> None:
    address = send(signed_in, content).headers.get("Location", "")
    work()
    page = signed_in.get(address).content.decode() if address else ""
    assert "The file cannot be imported" in page and problem in page
    assert GoldVersion.objects.filter(test_set__code="en_two", test_set__task=task).count() == 1


def test_an_incomplete_form_is_refused_on_the_page(signed_in: Client, task: Task) -> None:
    assert "Please choose the corrected gold file" in send(signed_in, None).content.decode()
    assert "xx_no has no gold to correct" in send(signed_in, LOUDLY, code="xx_no").content.decode()
    assert send(signed_in, LOUDLY, reason=" ").status_code == 409
    assert not FolderJob.objects.exists()


def test_only_organisers_upload_gold(client: Client, task: Task, team: Team, member: User) -> None:
    client.force_login(member)
    assert send(client, LOUDLY).status_code == 404
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(member)
    assert send(strict, LOUDLY).status_code == 403
    assert not FolderJob.objects.exists()
