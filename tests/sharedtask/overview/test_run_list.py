"""A team's list of its runs: scores where the phase shows them, ranks, the history of scores, and notes."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from tests.sharedtask.support.building import WRONG_HEAD, good_archive
from tests.sharedtask.support.people import person

Upload = Callable[..., Run]
Work = Callable[[], None]
pytestmark = pytest.mark.django_db(transaction=True)
PAGES = ("/tasks/tiny/", "/tasks/tiny/team/")


@pytest.fixture
def runs(upload: Upload, work: Work) -> list[Run]:
    runs = [upload(good_archive(en_two="")), upload(good_archive(en_two=WRONG_HEAD)), upload(good_archive())]
    work()
    return runs


@pytest.fixture
def signed_in(client: Client, member: User) -> Client:
    client.force_login(member)
    return client


def page_of(client: Client, path: str) -> str:
    return " ".join(client.get(path).content.decode().split())


@pytest.mark.parametrize("path", PAGES)
def test_the_list_shows_scores_and_the_rank_of_the_ranked_run(
    signed_in: Client, runs: list[Run], path: str
) -> None:
    page = page_of(signed_in, path)
    assert '<td class="figure main">50.00</td>' in page
    assert '<td class="figure main">100.00</td>' in page
    links = re.findall(r'<a href="([^"]+)">rank 1</a>', page)
    assert links == [f"/tasks/tiny/leaderboard/?phase=open&amp;ranking=open&amp;with={runs[-1].public_id}"]
    board = signed_in.get(links[0].replace("&amp;", "&"))
    assert board.status_code == 200


@pytest.mark.parametrize("path", PAGES)
def test_a_blind_phase_shows_neither_scores_nor_ranks_nor_a_history(
    signed_in: Client, runs: list[Run], phase: Phase, path: str
) -> None:
    Phase.objects.filter(pk=phase.pk).update(feedback="validity", kind="test")
    page = page_of(signed_in, path)
    assert "100.00" not in page
    assert "rank 1" not in page
    assert 'class="history"' not in page


def test_the_page_of_a_run_links_to_its_rank(signed_in: Client, runs: list[Run]) -> None:
    assert "rank 1</a>" in page_of(signed_in, runs[-1].get_absolute_url())
    assert "rank 1</a>" not in page_of(signed_in, runs[0].get_absolute_url())


def test_the_history_of_scores_is_a_small_plot(signed_in: Client, runs: list[Run]) -> None:
    page = page_of(signed_in, "/tasks/tiny/team/")
    assert 'aria-label="LAS of 3 runs in Open phase: run 1 50.00, run 2 83.33, run 3 100.00"' in page
    assert page.count("<circle ") == 3


def test_one_run_is_no_history(signed_in: Client, upload: Upload, work: Work) -> None:
    upload(good_archive())
    work()
    assert 'class="history"' not in page_of(signed_in, "/tasks/tiny/team/")


def test_a_note_is_written_with_the_upload_or_later_and_is_for_the_team_and_the_organisers(
    signed_in: Client, runs: list[Run], task: Task, upload: Upload
) -> None:
    run = runs[0]
    response = signed_in.post(f"/runs/{run.public_id}/note/", {"note": "bigger  embeddings\0<b>"})
    assert response.status_code == 302
    assert Run.objects.get(pk=run.pk).note == "bigger embeddings<b>"
    for path in ("/tasks/tiny/team/", run.get_absolute_url()):
        assert "bigger embeddings&lt;b&gt;" in page_of(signed_in, path)
    visitor = Client()
    assert "bigger embeddings" not in page_of(visitor, run.get_absolute_url())
    rival = Client()
    rival.force_login(person("hazel"))
    assert "bigger embeddings" not in page_of(rival, run.get_absolute_url())
    assert rival.post(f"/runs/{run.public_id}/note/", {"note": "mine"}).status_code == 404
    task.organisers.add(User.objects.get(username="hazel"))
    assert "bigger embeddings" in page_of(rival, run.get_absolute_url())


def test_a_note_that_is_too_long_is_refused(signed_in: Client, runs: list[Run]) -> None:
    response = signed_in.post(f"/runs/{runs[0].public_id}/note/", {"note": "x" * 201})
    assert response.status_code == 409
    assert "at most 200 characters" in response.content.decode()
    assert f'value="{"x" * 201}"' in response.content.decode(), "what was typed is not lost"
    assert Run.objects.get(pk=runs[0].pk).note == ""


def test_the_list_asks_as_often_for_many_runs(
    signed_in: Client, runs: list[Run], upload: Upload, work: Work, team: Team
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            page_of(signed_in, "/tasks/tiny/team/")
        return len(captured)

    queries()  # Fills the caches of standings.
    few = queries()
    for _ in range(4):
        upload(good_archive())
    work()
    queries()
    assert queries() == few
