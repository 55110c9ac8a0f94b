"""The upload form: what it accepts, how it refuses, and that a refusal stores nothing."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.submissions.models import Run
from sharedtask.teams.models import System, Team
from tests.sharedtask.support.archives import archive_file
from tests.sharedtask.support.building import good_archive

Stored = Callable[[str], list[str]]
pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_in(client: Client, member: User, team: Team, dispatched: list[Any]) -> Client:
    client.force_login(member)
    return client


def test_an_upload_leads_to_its_receipt(signed_in: Client, task: Task, stored: Stored) -> None:
    response = signed_in.post("/tasks/tiny/upload/", {"archive": archive_file(good_archive())}, follow=True)
    run = Run.objects.get()
    assert response.redirect_chain == [(f"/runs/{run.public_id}/", 302)]
    page = response.content.decode()
    assert run.sha256 in page
    assert run.public_id in page
    assert "UTC" in page
    assert stored("uploads") == [run.public_id]
    assert stored("incoming") == []


def test_an_upload_beyond_the_limit_is_stopped_while_it_is_read(
    signed_in: Client, task: Task, stored: Stored, settings: Any
) -> None:
    settings.UPLOAD_LIMITS = settings.UPLOAD_LIMITS | {"archive_bytes": 100_000}
    response = signed_in.post("/tasks/tiny/upload/", {"archive": archive_file(b"x" * 100_001)})
    assert response.status_code == 413
    assert "larger than the limit of 97.7 KiB" in response.content.decode()
    assert not Run.objects.exists()
    assert stored("uploads") == stored("incoming") == []


def test_an_upload_at_the_limit_is_accepted(signed_in: Client, task: Task, settings: Any) -> None:
    settings.UPLOAD_LIMITS = settings.UPLOAD_LIMITS | {"archive_bytes": 100_000}
    response = signed_in.post("/tasks/tiny/upload/", {"archive": archive_file(b"x" * 100_000)})
    assert response.status_code == 302


def test_an_upload_far_beyond_the_limit_is_not_read_to_its_end(
    signed_in: Client, task: Task, stored: Stored, settings: Any
) -> None:
    settings.UPLOAD_LIMITS = settings.UPLOAD_LIMITS | {"archive_bytes": 1000}
    response = signed_in.post("/tasks/tiny/upload/", {"archive": archive_file(b"x" * 1_100_000)})
    assert response.status_code == 413
    assert stored("uploads") == stored("incoming") == []


@pytest.mark.parametrize(
    ("form", "id"),
    [
        ({}, "upload-without-file"),
        ({"archive": b""}, "upload-empty"),
        ({"archive": b"x", "phase": "nowhere"}, "upload-without-phase"),
        ({"archive": b"x", "phase": "no\0where"}, "upload-without-phase"),
        ({"archive": b"x", "system": "nobodys"}, "upload-without-system"),
        ({"archive": b"x", "system": "no\0bodys"}, "upload-without-system"),
    ],
)
def test_an_incomplete_form_is_refused_with_the_reason(
    signed_in: Client, task: Task, stored: Stored, form: dict[str, Any], id: str
) -> None:
    if "archive" in form:
        form = form | {"archive": archive_file(form["archive"])}
    response = signed_in.post("/tasks/tiny/upload/", form)
    assert response.status_code == 400
    assert f"<code>{id}</code>" in response.content.decode()
    assert not Run.objects.exists()
    assert stored("uploads") == stored("incoming") == []


def test_a_second_file_in_the_form_is_ignored(signed_in: Client, task: Task, stored: Stored) -> None:
    files = {"archive": archive_file(good_archive()), "other": archive_file(b"x" * 1000)}
    assert signed_in.post("/tasks/tiny/upload/", files).status_code == 302
    assert stored("uploads") == [Run.objects.get().public_id]
    assert stored("incoming") == []


def test_a_form_from_elsewhere_is_refused_and_stores_nothing(
    member: User, team: Team, task: Task, stored: Stored
) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(member)
    form = {"archive": archive_file(good_archive())}
    response = client.post("/tasks/tiny/upload/", form)
    assert response.status_code == 403
    assert "This form has expired" in response.content.decode()
    assert not Run.objects.exists()
    assert stored("uploads") == stored("incoming") == []


def test_the_real_form_passes_the_csrf_check(
    member: User, team: Team, task: Task, dispatched: list[Any]
) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(member)
    page = client.get("/tasks/tiny/upload/").content.decode()
    tokens = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    form = {"csrfmiddlewaretoken": tokens[-1], "archive": archive_file(good_archive())}
    assert client.post("/tasks/tiny/upload/", form).status_code == 302


def test_a_visitor_is_asked_to_sign_in(client: Client, task: Task) -> None:
    response = client.post("/tasks/tiny/upload/", {"archive": archive_file(b"x")})
    assert response.status_code == 302
    assert response.headers["Location"].startswith("/sign-in/")
    assert not Run.objects.exists()


def test_a_user_without_a_team_is_told_so(client: Client, task: Task, member: User) -> None:
    client.force_login(member)
    assert "You are not on a team for this task yet" in client.get("/tasks/tiny/upload/").content.decode()


def test_a_user_without_a_team_cannot_upload(
    client: Client, task: Task, member: User, stored: Stored
) -> None:
    client.force_login(member)
    response = client.post("/tasks/tiny/upload/", {"archive": archive_file(good_archive())})
    assert "<code>upload-without-team</code>" in response.content.decode()
    assert not Run.objects.exists()
    assert stored("uploads") == stored("incoming") == []


def test_the_primary_system_is_used_unless_another_is_chosen(
    signed_in: Client, task: Task, team: Team
) -> None:
    other = System.objects.create(team=team, name="small")
    page = signed_in.get("/tasks/tiny/upload/").content.decode()
    assert f'<option value="{other.public_id}">small</option>' in page
    for form, chosen in (({}, team.primary_system), ({"system": other.public_id}, other)):
        signed_in.post("/tasks/tiny/upload/", form | {"archive": archive_file(good_archive())})
        assert Run.objects.latest("number").system == chosen


def test_with_two_open_phases_one_has_to_be_chosen(signed_in: Client, task: Task, phase: Phase) -> None:
    other = Phase.objects.create(
        task=task,
        code="post",
        kind="post-evaluation",
        title="After",
        feedback="scores",
        opens_at=phase.opens_at,
    )
    assert '<option value="post">After</option>' in signed_in.get("/tasks/tiny/upload/").content.decode()
    response = signed_in.post("/tasks/tiny/upload/", {"archive": archive_file(good_archive())})
    assert "upload-without-phase" in response.content.decode()
    signed_in.post("/tasks/tiny/upload/", {"archive": archive_file(good_archive()), "phase": "post"})
    assert Run.objects.get().phase == other


def test_a_file_name_is_only_a_name(signed_in: Client, task: Task) -> None:
    form = {"archive": archive_file(good_archive(), name="..\\..\\système.zip")}
    signed_in.post("/tasks/tiny/upload/", form)
    assert Run.objects.get().filename == "système.zip"


class Torn(io.RawIOBase):
    """A body that breaks off in the middle: with an error, or by ending early."""

    def __init__(self, body: bytes, *, error: bool) -> None:
        self.body = io.BytesIO(body)
        self.error = error

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self.body.read(size)
        if not data and self.error:
            raise OSError("connection reset by peer")
        return data


@pytest.mark.parametrize("error", [False, True])
def test_an_aborted_upload_leaves_nothing(signed_in: Client, task: Task, stored: Stored, error: bool) -> None:
    signed_in.raise_request_exception = False
    body = encode_multipart(BOUNDARY, {"archive": archive_file(b"x" * 300_000)})
    torn = Torn(body[:200_000], error=error)
    response = signed_in.generic(
        "POST",
        "/tasks/tiny/upload/",
        **{"wsgi.input": torn, "CONTENT_LENGTH": str(len(body)), "CONTENT_TYPE": MULTIPART_CONTENT},
    )
    assert response.status_code in (400, 500)
    assert torn.body.tell() == 200_000
    assert not Run.objects.exists()
    assert stored("uploads") == stored("incoming") == []
