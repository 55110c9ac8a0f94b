"""The leaderboard of a blind phase exists: it says when results come, and reveals nothing else."""

from __future__ import annotations

import pytest
from django.test import Client

from sharedtask.competition.models import Task
from tests.sharedtask.support.standing import compare, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_worker", "dispatched")]

PAGE = "/tasks/blind/leaderboard/"


def test_the_leaderboard_of_a_blind_phase_is_a_page(client: Client, blind_task: Task) -> None:
    phase = blind_task.phases.get()
    for address in (PAGE, f"{PAGE}?phase={phase.code}"):
        response = client.get(address)
        assert response.status_code == 200
        assert b"The results appear on this page when the organisers publish them" in response.content
        assert response["Cache-Control"] == "no-cache", "a browser asks again"
        assert "HX-Request" in response["Vary"] and "Cookie" in response["Vary"]


def test_it_is_the_same_whatever_was_submitted(client: Client, blind_task: Task) -> None:
    before = client.get(PAGE).content
    scored(blind_task.phases.get(), "Ash", 0.9)
    compare(blind_task.phases.get())
    assert client.get(PAGE).content == before


def test_unknown_phases_and_files_are_not_found(client: Client, blind_task: Task) -> None:
    for address in (f"{PAGE}?phase=other", "/tasks/blind/leaderboard.csv", "/tasks/none/leaderboard/"):
        assert client.get(address).status_code == 404, address


def test_htmx_loads_the_whole_page_instead_of_a_part(client: Client, blind_task: Task) -> None:
    assert client.get(PAGE, headers={"HX-Request": "true"})["HX-Refresh"] == "true"
    assert "HX-Refresh" not in client.get(PAGE)
