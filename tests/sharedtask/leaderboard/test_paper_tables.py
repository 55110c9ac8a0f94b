"""Tables for papers: all of an overview paper from the pages, under the names that the reader may know."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from sharedtask.competition.models import Phase, Task
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from tests.sharedtask.support.standing import assert_queries_do_not_grow, compare, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_worker")]
PAGE = "/tasks/tiny/tables/"


@pytest.fixture
def runs(phase: Phase) -> list[Run]:
    Task.objects.update(replicates=50)
    phase.task.refresh_from_db()
    items = [
        scored(phase, "Ash & Elm", 0.9),
        scored(phase, "Birch", 0.8),
        scored(phase, "Base", 0.5, baseline=True),
    ]
    compare(phase)
    return items


def test_every_table_of_the_page_can_be_had_in_every_format(client: Client, runs: list[Run]) -> None:
    page = client.get(PAGE).content.decode()
    names = list(dict.fromkeys(re.findall(rf"{PAGE}([a-z0-9-]+)\.tex", page)))
    assert {"matrix", "test-sets", "segmentation", "morphology", "neighbours", "metrics"} <= set(names)
    for name in names:
        tex = client.get(f"{PAGE}{name}.tex").content.decode()
        assert tex.startswith("% arboretum|") and r"\begin{tabular}" in tex and r"\caption{A tiny task" in tex
        assert list(csv.reader(io.StringIO(client.get(f"{PAGE}{name}.csv").content.decode())))[1:]
        assert "Signature: `arboretum|" in client.get(f"{PAGE}{name}.md").content.decode()
        assert not any(run.public_id in tex for run in runs), "systems have names"
    assert r"Ash \& Elm" in client.get(f"{PAGE}neighbours.tex").content.decode()
    assert client.get(f"{PAGE}none.tex").status_code == client.get(f"{PAGE}matrix.exe").status_code == 404


def test_the_matrix_and_the_test_sets_follow_the_choices_of_their_pages(
    client: Client, runs: list[Run]
) -> None:
    for page, name in (("matrix/", "matrix"), ("sets/", "test-sets")):
        body = client.get(f"/tasks/tiny/{page}?metric=UPOS").content.decode()
        (address,) = set(re.findall(rf'href="(/tasks/tiny/tables/{name}\.tex[^"]*)"', body))
        assert "UPOS" in client.get(address).content.decode()
        assert 'href="/tasks/tiny/cite.bib' in body


def test_results_are_cited_with_their_signature(client: Client, runs: list[Run]) -> None:
    Task.objects.update(citation="Please cite:\n\n@article{tiny, title = {A tiny task}}")
    response = client.get("/tasks/tiny/cite.bib")
    assert response["Content-Type"].startswith("application/x-bibtex")
    entries = response.content.decode()
    assert entries.startswith("@article{tiny, title = {A tiny task}}")
    assert "@misc{tiny-open-open," in entries
    assert "arboretum" in entries and r"/tasks/tiny/leaderboard/}" in entries


def test_pseudonyms_hold_and_hidden_sets_leave_no_trace(
    client: Client, phase: Phase, runs: list[Run]
) -> None:
    Task.objects.update(pseudonymous=True)
    Team.objects.filter(name="Birch").update(pseudonym="Team Quiet")
    text = client.get(f"{PAGE}neighbours.csv").content.decode()
    assert "Team Quiet" in text and "Birch" not in text
    phase.test_sets.filter(code="en_two").update(revealed_at=timezone.now() + timedelta(days=1))
    assert "en_two" not in client.get(PAGE).content.decode()
    assert client.get(f"{PAGE}test-sets.csv").status_code == 404


def test_a_blind_phase_has_no_tables(client: Client, blind_task: Task) -> None:
    scored(blind_task.phases.get(), "Ash", 0.9)
    compare(blind_task.phases.get())
    for page in ("tables/", "tables/matrix.tex"):
        response = client.get(f"/tasks/blind/{page}")
        assert response.status_code == 404 and b"Ash" not in response.content
    assert b"@misc" not in client.get("/tasks/blind/cite.bib").content


def test_the_number_of_queries_does_not_grow(client: Client, phase: Phase) -> None:
    assert_queries_do_not_grow(client, phase, (PAGE, f"{PAGE}matrix.tex"), most=20)
