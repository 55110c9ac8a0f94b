"""The page of a system and the comparison of systems: right figures, nothing that leaks, few queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from sharedtask.competition.models import Phase
from tests.site.standing import compare, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_worker")]


def page_of(client: Client, run: Any, query: str = "") -> str:
    return client.get(f"/tasks/{run.task.slug}/systems/{run.system.public_id}/{query}").content.decode()


def test_smoke(client: Client, phase: Phase) -> None:
    a, b, c = (scored(phase, name, las) for name, las in (("Ash", 0.9), ("Birch", 0.8), ("Cedar", 0.5)))
    compare(phase)
    text = page_of(client, a)
    assert "Strengths" in text
    text = client.get(f"/tasks/tiny/compare/?with={a.public_id}&with={b.public_id}").content.decode()
    assert "is <strong>10.00</strong>" in text
    text = client.get(f"/tasks/tiny/compare/?with={a.public_id}&with={b.public_id}&with={c.public_id}").content.decode()
    assert "Every two" in text
    assert client.get("/tasks/tiny/compare/").status_code == 200
