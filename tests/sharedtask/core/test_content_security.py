"""Every answer carries the same strict policy, whoever made it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from sharedtask.competition.models import Task
from sharedtask.core.content_security import DIRECTIVES, HEADER, POLICY
from tests.machinery.site import ROOT


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/", 200),
        ("/tasks/tiny/", 200),
        ("/nowhere/", 404),
        ("/tasks/tiny/upload/", 302),
        ("/tasks/tiny/inputs/de_one.txt", 200),
        ("/admin/login/", 302),
        ("/healthz", 200),
    ],
)
def test_every_answer_has_the_policy(client: Client, task: Task, address: str, status: int) -> None:
    answer = client.get(address)
    answer.close()
    assert answer.status_code == status
    assert answer.headers[HEADER] == POLICY


def test_the_policy_allows_only_our_own_files_and_nothing_inline() -> None:
    assert DIRECTIVES["default-src"] == DIRECTIVES["base-uri"] == DIRECTIVES["frame-ancestors"] == "'none'"
    assert "unsafe" not in POLICY
    assert "http" not in POLICY
    assert "*" not in POLICY


def test_no_template_has_anything_inline() -> None:
    templates = list((ROOT / "sharedtask" / "templates").rglob("*.html"))
    assert len(templates) > 50
    assert [path for path in templates if faults_of(path)] == []


def faults_of(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return [word for word in (" style=", "<style", " onclick=", " onchange=", "javascript:") if word in text]
