"""What may be sent: little, except to the views that take uploads. The rest is refused before it is read."""

from __future__ import annotations

import http.client
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client, RequestFactory
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import URLPattern, URLResolver, get_resolver

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.core import body_limit
from sharedtask.teams.models import Team
from tests.conftest import StartProcess
from tests.sharedtask.support.archives import archive_file

UPLOAD_VIEWS = {"upload", "upload-for-team", "folder", "new-task", "correct-gold"} | {
    "runs",
    "folders",
    "gold",
}
"""Pages, and the operations of the API."""
TOO_MUCH = 1024 * 1024 + 1


class Counted(io.RawIOBase):
    """A body without end that counts what is read of it."""

    taken = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        self.taken += size
        return b"x" * size


def announce(client: Client, path: str, length: int | None, **headers: str) -> tuple[int, int]:
    """Status, and how much of a body of this length was read; None is a body in chunks."""
    body = Counted()
    known = {"CONTENT_LENGTH": "" if length is None else str(length), "CONTENT_TYPE": MULTIPART_CONTENT}
    response = client.generic("POST", path, **{"wsgi.input": body, **known, **headers})
    return response.status_code, body.taken


def patterns(resolver: URLResolver) -> Iterator[URLPattern]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            yield from patterns(entry)
        else:
            yield entry


def test_the_views_that_take_uploads_are_known() -> None:
    marked = {
        pattern.name for pattern in patterns(get_resolver()) if body_limit.takes_uploads(pattern.callback)
    }
    assert marked == UPLOAD_VIEWS


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/", "/sign-in/", "/account/new/", "/tasks/tiny/team/new/", "/admin/", "/nowhere/", "/healthz"]
)
def test_a_large_body_is_refused_unread(client: Client, task: Task, path: str) -> None:
    assert announce(client, path, TOO_MUCH) == (413, 0)
    assert announce(client, path, 250 * 1024 * 1024) == (413, 0)


@pytest.mark.django_db
def test_the_refusal_is_a_page_of_the_site(client: Client) -> None:
    response = client.generic("POST", "/sign-in/", b"x" * TOO_MUCH)
    assert "Upload too large" in response.content.decode()
    assert "Content-Security-Policy" in response.headers


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/sign-in/", "/tasks/tiny/upload/"])
def test_a_body_in_chunks_is_refused_unread(client: Client, task: Task, path: str) -> None:
    """Django takes a body without a length for an empty one, which would be a misleading answer."""
    assert announce(client, path, None, HTTP_TRANSFER_ENCODING="chunked") == (411, 0)


@pytest.mark.django_db
def test_a_small_form_is_taken(client: Client) -> None:
    assert client.post("/sign-in/", {"login": "ash", "password": "x" * 1000}).status_code == 200


def test_a_file_in_a_form_that_takes_none_is_not_kept(tmp_path: Path, settings: Any) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 0
    form = {"login": "ash", "file": archive_file(b"x" * 500_000)}
    body = encode_multipart(BOUNDARY, form)
    request = RequestFactory().generic("POST", "/sign-in/", body, MULTIPART_CONTENT)
    assert request.POST["login"] == "ash"
    assert not request.FILES
    assert not list(tmp_path.iterdir())


@pytest.mark.django_db
def test_views_that_take_uploads_read_as_much_as_they_may(
    client: Client, member: User, team: Team, settings: Any
) -> None:
    settings.UPLOAD_LIMITS = settings.UPLOAD_LIMITS | {"archive_bytes": 2 * TOO_MUCH}
    member.is_superuser = True
    member.save()
    client.force_login(member)
    run = {"archive": archive_file(b"x" * TOO_MUCH)}
    folder = {"folder": archive_file(b"x" * TOO_MUCH), "reason": "spring"}
    assert client.post("/tasks/tiny/upload/", run).status_code == 302
    assert client.post("/organise/new/", folder).status_code == 302
    for path in ("/tasks/tiny/upload/", "/tasks/tiny/organise/folder/", "/organise/new/"):
        assert announce(client, path, 10 * TOO_MUCH) == (413, 0)


def connect(url: str) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)


def test_a_real_server_neither_reads_nor_keeps_a_large_body(
    embedded: dict[str, str], server: StartProcess, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    site = server(embedded | {"TMPDIR": str(temporary)})

    connection = connect(site.url)
    connection.putrequest("POST", "/sign-in/")
    connection.putheader("Content-Type", MULTIPART_CONTENT)
    connection.putheader("Content-Length", str(250 * 1024 * 1024))
    connection.endheaders()
    connection.send(b"x" * 10_000)
    # The answer comes though most of the body was never sent.
    assert connection.getresponse().status == 413
    connection.close()

    connection = connect(site.url)
    connection.putrequest("POST", "/sign-in/")
    connection.putheader("Content-Type", MULTIPART_CONTENT)
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    connection.send(b"2710\r\n" + b"x" * 10_000 + b"\r\n")
    assert connection.getresponse().status == 411
    connection.close()
    assert [file for file in temporary.rglob("*") if file.is_file() and file.stat().st_size > 0] == []


@pytest.mark.django_db
def test_a_view_that_streams_its_body_gets_one_of_any_length(
    client: Client, member: User, team: Team
) -> None:
    """It refuses what it cannot use by itself, before it reads anything."""
    client.force_login(member)
    version = {"HTTP_TUS_RESUMABLE": "1.0.0"}
    for length in (TOO_MUCH * 1000, None):
        chunked = {} if length else {"HTTP_TRANSFER_ENCODING": "chunked"}
        assert announce(client, "/uploads/", length, **version, **chunked) == (415, 0)
