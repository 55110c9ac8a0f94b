"""Which scope a write needs: every one in the OpenAPI document is tried with every kind of token."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sharedtask.accounts.models import User
from sharedtask.api.interface import api
from tests.sharedtask.support.calling import Caller

pytestmark = pytest.mark.django_db
READING = ("get", "head")
TOKENS = (("read",), ("read", "submit"), ("read", "organise"))
OPEN = {
    # These are how a program gets its first token, and how it gives it back.
    "begin_device_authorization",
    "poll_device_authorization",
    "revoke_own_token",
}
ORGANISE = {
    "approve_folder_job",
    "import_folder",
    "decide_registration",
    "export_folder",
    "grant_runs",
    "publish",
    "reject_run",
    "correct_gold",
    "rescore",
    "restore_run",
    "retry_run",
}
EITHER = {"create_webhook", "delete_webhook"}


def writes() -> dict[str, tuple[str, str]]:
    """Name of each writing operation, with its method and an address."""
    paths = api.get_openapi_schema()["paths"]
    return {
        operation["operationId"]: (method.upper(), re.sub(r"\{\w+\}", "nothing", path))
        for path, operations in paths.items()
        for method, operation in operations.items()
        if method not in READING
    }


def is_refused(caller: Caller, method: str, path: str) -> bool:
    """For lack of the scope: other refusals come later, because neither the body nor the names fit."""
    address = path.removeprefix("/api/v1")
    response: Any = caller.client.generic(
        method, f"/api/v1{address}", b"{}", "application/json", headers=caller.headers
    )
    assert response.status_code < 500, response.content
    return response.status_code == 403 and response.json()["id"] == "scope-missing"


@pytest.mark.parametrize("scopes", TOKENS, ids="-".join)
def test_every_write_needs_its_scope(member: User, scopes: tuple[str, ...]) -> None:
    operations = writes()
    assert set(operations) > OPEN | ORGANISE | EITHER
    expected = set()
    if "submit" not in scopes:
        expected |= set(operations) - OPEN - ORGANISE - EITHER
    if "organise" not in scopes:
        expected |= ORGANISE
    if scopes == ("read",):
        expected |= EITHER
    refused = set()
    for name, (method, path) in operations.items():
        # A token of its own each time, because one operation revokes it.
        if is_refused(Caller(member, scopes), method, path):
            refused.add(name)
    assert refused == expected


def test_a_webhook_about_runs_needs_the_scope_of_runs(member: User, task: Any, team: Any) -> None:
    """The others are about what is public."""
    organiser = Caller(member, ["read", "organise"])
    body = {"task": "tiny", "url": "https://example.org/", "events": ["results.published", "phase.opened"]}
    assert organiser.post("/webhooks", body, status=201)["events"] == ["phase.opened", "results.published"]
    problem = organiser.post("/webhooks", body | {"events": ["run.finished"]}, status=403)
    assert (problem["id"], problem["expected"]) == ("scope-missing", "submit")
    assert Caller(member).post("/webhooks", body | {"events": ["run.finished"]}, status=201)
