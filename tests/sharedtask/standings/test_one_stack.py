"""All result pages choose phase, ranking, metric and names in one way."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from sharedtask.competition.models import Phase
from sharedtask.core import clock
from sharedtask.standings.models import Standing
from sharedtask.standings.rankings import RANKING_ORDER
from sharedtask.standings.visible_standings import result_phases, visible_standings
from sharedtask.teams.models import System
from tests.sharedtask.support.standing import compare, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_worker", "dispatched")]


def test_every_ranking_has_its_place_in_the_one_order() -> None:
    assert set(RANKING_ORDER) == set(Standing.Ranking)
    assert RANKING_ORDER[0] == Standing.Ranking.OFFICIAL
    assert RANKING_ORDER[-1] == Standing.Ranking.BEST


def test_all_pages_show_the_same_ranking_unasked(client: Client, phase: Phase) -> None:
    Phase.objects.filter(pk=phase.pk).update(kind="test")
    phase.refresh_from_db()
    scored(phase, "Ash", 0.9)
    compare(phase)
    at = clock.database_now()
    first = visible_standings(AnonymousUser(), phase.task, at=at)[0]
    assert first.phase == result_phases(AnonymousUser(), phase.task.slug, at=at).visible[0]
    for page in ("leaderboard", "matrix", "sets", "sets/en_two", "systems", "tables"):
        html = client.get(f"/tasks/tiny/{page}/").content.decode()
        assert f"/standings/{first.standing.public_id}.json" in html, page


def test_a_secondary_system_has_one_name_on_all_pages(client: Client, phase: Phase) -> None:
    ash = scored(phase, "Ash", 0.9)
    second = System.objects.create(team=ash.team, name="Second")
    scored(phase, "Ash", 0.8, system=second)
    compare(phase)
    board = client.get("/tasks/tiny/leaderboard/").content.decode()
    assert 'aria-label="Compare Ash (Second)"' in board
    forest = board.split('class="forest"')[1]
    assert re.search(r'class="name"[^>]*>Ash \(Second\)</text>', forest)
    for page in ("matrix", "sets/en_two", "systems"):
        assert "Ash (Second)" in client.get(f"/tasks/tiny/{page}/").content.decode(), page
