"""What all operations have in common: limits, ETag, CORS, problems, the document and its page."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import pytest
from django.core.cache import caches
from django.db import OperationalError
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.api import idempotency
from sharedtask.api.models import StoredAnswer
from sharedtask.api.resources import tasks
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.teams.models import Team
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.calling import ROOT, Caller

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    caches["limits"].clear()


def test_requests_are_limited_per_address(client: Client, settings: Any, member: User) -> None:
    settings.API_LIMITS = {"reads": 2, "writes": 1}
    first = client.get(f"{ROOT}/tasks")
    assert first["RateLimit-Policy"] == '"reads";q=2;w=60'
    assert first["RateLimit"].startswith('"reads";r=1;t=')
    assert client.get(f"{ROOT}/tasks").status_code == 200
    refused = client.get(f"{ROOT}/tasks")
    assert (refused.status_code, refused.json()["id"]) == (429, "too-many-requests")
    assert 1 <= int(refused["Retry-After"]) <= 60
    # A token has a limit of its own, and so has another address.
    caller = Caller(member)
    caller.get("/me")
    caller.get("/me")
    assert caller.get("/me", status=429)["id"] == "too-many-requests"
    assert client.get(f"{ROOT}/tasks", REMOTE_ADDR="192.0.2.7").status_code == 200


def test_guessing_tokens_is_counted_by_address(client: Client, settings: Any) -> None:
    settings.API_LIMITS = {"reads": 2, "writes": 1}
    codes = [
        client.get(f"{ROOT}/me", headers={"Authorization": f"Bearer arb_{guess}"}).status_code
        for guess in range(3)
    ]
    assert codes == [401, 401, 429]


def test_a_cache_that_is_down_stops_nobody(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise ConnectionError("Redis is down")

    monkeypatch.setattr(caches["limits"], "incr", fail)
    assert client.get(f"{ROOT}/tasks").status_code == 200


def test_an_etag_is_the_hash_of_the_bytes_sent(client: Client, task: Task) -> None:
    response = client.get(f"{ROOT}/tasks/tiny")
    assert response["ETag"] == f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    again = client.get(f"{ROOT}/tasks/tiny", headers={"If-None-Match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    head = client.head(f"{ROOT}/tasks/tiny")
    assert (head.status_code, head["ETag"]) == (200, response["ETag"])


def test_other_sites_may_read_what_is_public_and_nothing_else(client: Client, member: User) -> None:
    origin = {"Origin": "https://example.org"}
    assert client.get(f"{ROOT}/tasks", headers=origin)["Access-Control-Allow-Origin"] == "*"
    caller = Caller(member)
    response = client.get(f"{ROOT}/me", headers=origin | caller.headers)
    assert response.status_code == 200 and "Access-Control-Allow-Origin" not in response
    assert response["Cache-Control"] == "private, no-store"
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    preflight = client.options(f"{ROOT}/tasks", headers=origin | asked)
    assert "POST" not in preflight["Access-Control-Allow-Methods"]
    assert "authorization" not in preflight["Access-Control-Allow-Headers"].lower()


def test_unknown_addresses_and_methods_are_problems(client: Client, task: Task) -> None:
    for path in ("/nonsense", "/tasks/nonsense", "/"):
        response = client.get(ROOT + path)
        assert (response.status_code, response.json()["id"]) == (404, "not-found"), path
    response = client.delete(f"{ROOT}/tasks/tiny")
    assert (response.status_code, response.json()["id"]) == (405, "method-not-allowed")
    assert response["Allow"] == "GET"


def test_an_invalid_parameter_is_named(client: Client) -> None:
    problem = client.get(f"{ROOT}/tasks", {"limit": "many"}).json()
    assert (problem["status"], problem["id"]) == (422, "request-invalid")
    assert [error["where"] for error in problem["errors"]] == ["query.limit"]


def test_an_unusable_body_is_a_problem(member: User, team: Team) -> None:
    caller = Caller(member)
    for body, kind in ((b"{", "application/json"), (b"\xff", "application/json"), (b"x", "text/plain")):
        response = caller.client.generic("PATCH", f"{ROOT}/runs/nonsense", body, kind, headers=caller.headers)
        assert response.status_code in (400, 404, 415, 422), (body, response.content)
        assert response["Content-Type"] == "application/problem+json"
    broken = b"--x\r\nContent-Disposition: form-data; name"
    response = caller.client.generic(
        "POST", f"{ROOT}/tasks/tiny/runs", broken, "multipart/form-data; boundary=x", headers=caller.headers
    )
    assert response.status_code == 400
    response = caller.client.generic(
        "POST", f"{ROOT}/tasks/tiny/runs", broken, "multipart/form-data", headers=caller.headers
    )
    assert response.status_code == 400


def test_too_large_a_body_is_a_problem(member: User, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    caller = Caller(member)
    problem = caller.post("/device-authorizations", {"client_name": "x" * 200}, status=413)
    assert problem["id"] == "request-too-large"


def test_a_temporary_failure_says_when_to_try_again(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise OperationalError("the database is restarting")

    monkeypatch.setattr(tasks, "page_of", fail)
    response = client.get(f"{ROOT}/tasks")
    assert (response.status_code, response.json()["id"]) == (503, "server-unavailable")
    assert response["Retry-After"]


def test_a_defect_is_a_problem_without_details(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise ValueError("a secret of the code")

    monkeypatch.setattr(tasks, "page_of", fail)
    client.raise_request_exception = False
    response = client.get(f"{ROOT}/tasks")
    assert (response.status_code, response.json()["id"]) == (500, "server-error")
    assert b"secret" not in response.content


def test_stored_answers_are_removed_after_a_week(member: User, team: Team, dispatched: list[Any]) -> None:
    caller = Caller(member)
    # Answers with a secret are not stored at all.
    caller.post("/device-authorizations", {}, status=201, key="k")
    assert StoredAnswer.objects.count() == 0
    caller.upload("/tasks/tiny/runs", good_archive(), key="k")
    assert StoredAnswer.objects.count() == 1
    at = clock.database_now()
    assert idempotency.remove_expired(at=at) == 0
    assert idempotency.remove_expired(at=at + idempotency.LIFETIME * 2) == 1


def test_the_document_is_openapi_and_the_page_has_every_operation(client: Client) -> None:
    document = client.get(f"{ROOT}/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    ids = [operation["operationId"] for operation in operations]
    assert len(ids) == len(set(ids)) > 15
    page = client.get("/api/").content.decode()
    assert [id for id in ids if f'id="{id}"' not in page] == []
    anchors = set(re.findall(r' id="([^"]+)"', page))
    links = set(re.findall(r'href="#([^"]+)"', page))
    assert len(links) > len(ids) and links - anchors == set()
    assert "`" not in page[page.index("<main") :]
    assert "cdn" not in page and "https://unpkg" not in page
