"""What a signed-in reader gets is kept nowhere; what visitors get is kept as ever, apart from it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from tests.sharedtask.support.boards import stand
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.crawl import crawl
from tests.sharedtask.support.people import PASSWORD, person

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = ("Ash", "Birch", "Cedar")
PAGE = "/tasks/tiny/leaderboard/"
PRIVATE = "private, no-store"
FILES = ("/tasks/tiny/leaderboard.csv", "/tasks/tiny/leaderboard.json", "/tasks/tiny/matrix.csv")


@pytest.fixture
def signed_in(member: User, team: Team) -> Client:
    client = Client()
    client.force_login(member)
    return client


def test_every_answer_to_a_signed_in_reader_is_private(
    signed_in: Client, task: Task, upload: Callable[..., Run], work: Callable[[], None], member: User
) -> None:
    task.organisers.add(member)
    upload(good_archive())
    work()
    answers = crawl(signed_in)
    assert len(answers) > 50
    open_to_caches = {
        url for url, answer in answers.items() if f"Cache-Control: {PRIVATE}".encode() not in answer.head
    }
    assert open_to_caches == set()


def test_downloads_refusals_and_redirections_are_private_as_well(signed_in: Client, phase: Phase) -> None:
    stand(phase, NAMES)
    addresses = [PAGE, *FILES, "/nowhere/", "/tasks/tiny", "/tasks/tiny/inputs/de_one.txt", "/admin/"]
    for address in addresses:
        answer = signed_in.get(address)
        assert answer["Cache-Control"] == PRIVATE, (address, answer.status_code)
        assert "Cookie" in answer["Vary"], address
        answer.close()
    assert signed_in.post("/account/notices/")["Cache-Control"] == PRIVATE


def test_an_answer_that_fails_is_private(
    signed_in: Client, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed_in.raise_request_exception = False
    monkeypatch.setattr("sharedtask.teams.pages.account.render", lambda *args: 1 / 0)
    answer = signed_in.get("/account/")
    assert (answer.status_code, answer["Cache-Control"]) == (500, PRIVATE)


def test_signing_in_and_out_is_private(client: Client) -> None:
    cache.clear()
    person("ash")
    assert client.post("/sign-in/", {"login": "ash", "password": PASSWORD})["Cache-Control"] == PRIVATE
    assert client.post("/sign-out/")["Cache-Control"] == PRIVATE


def test_visitors_pages_stay_cacheable_and_vary_by_cookie(client: Client, phase: Phase) -> None:
    stand(phase, NAMES)
    for address in (PAGE, *FILES):
        answer = client.get(address)
        assert (answer.status_code, answer["Cache-Control"]) == (200, "no-cache"), address
        assert "Cookie" in answer["Vary"], address
        again = client.get(address, headers={"If-None-Match": answer["ETag"]})
        assert (again.status_code, "Cookie" in again["Vary"]) == (304, True), address
    for address in ("/", "/tasks/tiny/", "/definitions/", "/nowhere/"):
        answer = client.get(address)
        assert "no-store" not in answer.get("Cache-Control", ""), address
        assert "Cookie" in answer["Vary"], address


def test_a_visitors_etag_gives_a_signed_in_reader_a_private_page(
    client: Client, signed_in: Client, phase: Phase
) -> None:
    stand(phase, NAMES)
    public = client.get(PAGE)
    own = signed_in.get(PAGE, headers={"If-None-Match": public["ETag"]})
    assert (own.status_code, own["Cache-Control"]) == (200, PRIVATE)


def test_static_files_are_public(signed_in: Client) -> None:
    answer = signed_in.get("/static/site.css")
    assert answer.status_code == 200
    assert "no-store" not in answer.get("Cache-Control", "")
    answer.close()
