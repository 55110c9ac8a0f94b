"""Pages kept for visitors: sent once, never stale after anybody's act, never to somebody else."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.messages import INFO
from django.contrib.messages.storage.base import Message
from django.contrib.messages.storage.cookie import CookieStorage
from django.db import connection
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.competition.models import GoldVersion, Phase, StandingRequest, Task
from sharedtask.core import clock
from sharedtask.core.cache import LRUCache
from sharedtask.leaderboard.pages import leaderboard
from sharedtask.standings.models import Publication, Standing
from sharedtask.standings.page_cache import decorator
from sharedtask.standings.page_cache.cached_response import CachedResponse
from sharedtask.submissions.models import Run
from sharedtask.teams.models import System, Team
from tests.sharedtask.support.boards import stand

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("dispatched")]

NAMES = ("Ash", "Birch", "Cedar")
PAGE = "/tasks/tiny/leaderboard/"


@pytest.fixture(autouse=True)
def nothing_cached() -> None:
    decorator.RESPONSES.clear()


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The templates that were rendered for a leaderboard."""
    items: list[str] = []
    render = leaderboard.render

    def noted(request: Any, template: str, context: Any) -> Any:
        items.append(template)
        return render(request, template, context)

    monkeypatch.setattr(leaderboard, "render", noted)
    return items


def publish(standing: Standing, note: str = "") -> Publication:
    publication = Publication.objects.create(task=standing.task, note=note, at=clock.database_now())
    publication.standings.add(standing)
    Task.objects.filter(pk=standing.task_id).update(results_published_at=publication.at)
    return publication


def test_a_page_is_rendered_once_and_not_sent_again_to_a_browser_that_has_it(
    client: Client, phase: Phase, rendered: list[str]
) -> None:
    stand(phase, NAMES)
    first = client.get(PAGE)
    assert client.get(PAGE).content == first.content and len(rendered) == 1
    again = client.get(PAGE, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, len(rendered)) == (304, b"", 1)
    assert first["Cache-Control"] == "no-cache", "a copy is asked about every time"
    assert client.get(f"{PAGE}?metric=CLAS", headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_a_page_its_part_and_its_file_are_cached_apart(
    client: Client, phase: Phase, rendered: list[str]
) -> None:
    stand(phase, NAMES)
    part, boosted = {"HX-Request": "true"}, {"HX-Request": "true", "HX-Boosted": "true"}
    for _ in range(2):
        assert b"<html" in client.get(PAGE).content
        assert b"<html" not in client.get(PAGE, headers=part).content
        assert "HX-Push-Url" not in client.get(PAGE, headers=part)
        assert client.get(PAGE, headers=boosted)["HX-Push-Url"] == PAGE
        file = client.get("/tasks/tiny/leaderboard.csv")
        assert (
            file["Content-Type"] == "text/csv; charset=utf-8" and "attachment" in file["Content-Disposition"]
        )
        assert b"Cedar" in file.content
    assert len(rendered) == 3, "the page, its part, and its part under another address"
    assert len(decorator.RESPONSES) == 4


def test_a_new_publication_is_seen_at_once(client: Client, blind_task: Task, rendered: list[str]) -> None:
    phase = blind_task.phases.select_related("task").get()
    publish(stand(phase, NAMES, ranking="official"))
    page = "/tasks/blind/leaderboard/"
    before = client.get(page)
    assert b"Cedar" in before.content
    publish(stand(phase, ("Ash", "Elm"), ranking="official"), note="Cedar was withdrawn.")
    after = client.get(page, headers={"If-None-Match": before["ETag"]})
    assert after.status_code == 200 and b"Elm" in after.content and b"Cedar was withdrawn" in after.content
    assert len(rendered) == 2


ACTS: dict[str, Callable[[Phase], Any]] = {
    "a newer standing": lambda phase: stand(phase, ("Ash", "Oak")),
    "a team's new name": lambda phase: Team.objects.filter(name="Birch").update(name="Oak"),
    "a system's new name": lambda phase: System.objects.filter(team__name="Birch").update(
        name="Oak", is_primary=False
    ),
    "a team that is a baseline": lambda phase: Team.objects.filter(name="Ash").update(is_baseline=True),
    "pseudonyms": lambda phase: Task.objects.update(pseudonymous=True),
    "how it is cited": lambda phase: Task.objects.update(citation="Oak, 2026."),
    "the task's title": lambda phase: Task.objects.update(title="Oak"),
    "a standing by another policy for missing files": lambda phase: stand(phase, NAMES, missing="exclude"),
    "the rule for baselines": lambda phase: Task.objects.update(baselines_ranked=False),
    "a second phase": lambda phase: Phase.objects.create(
        task=phase.task, code="b", title="Oak", feedback="scores", opens_at=phase.opens_at
    ),
    "a run under way": lambda phase: Run.objects.filter(team__name="Ash").update(state="scoring"),
    "a standing that is requested": lambda phase: StandingRequest.objects.create(phase=phase),
}


@pytest.mark.parametrize("act", ACTS)
def test_everything_the_page_depends_on_changes_the_page(client: Client, phase: Phase, act: str) -> None:
    stand(phase, NAMES)
    before = client.get(PAGE)
    ACTS[act](phase)
    after = client.get(PAGE, headers={"If-None-Match": before["ETag"]})
    assert after.status_code == 200
    assert after.content != before.content and after["ETag"] != before["ETag"]


@contextmanager
def no_database() -> Iterator[None]:
    def refuse(execute: Any, sql: str, *rest: Any) -> Any:
        raise AssertionError(f"the page asked the database: {sql}")

    with connection.execute_wrapper(refuse):
        yield


def test_rendering_asks_the_database_nothing(
    client: Client, phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand(phase, NAMES)
    render_board = leaderboard.render_board

    def watched(request: Any, board: Any, *, part: bool) -> Any:
        with no_database():
            return render_board(request, board, part=part)

    monkeypatch.setattr(leaderboard, "render_board", watched)
    assert client.get(PAGE).status_code == 200
    assert client.get(PAGE, headers={"HX-Request": "true"}).status_code == 200


def test_signed_in_readers_do_not_get_a_cached_page(
    client: Client, phase: Phase, member: User, rendered: list[str]
) -> None:
    stand(phase, NAMES)
    signed_in = Client()
    signed_in.force_login(member)
    public = client.get(PAGE)
    own = signed_in.get(PAGE, headers={"If-None-Match": public["ETag"]})
    assert own.status_code == 200 and b"Sign out" in own.content and "ETag" not in own
    assert b"Sign out" not in client.get(PAGE).content and b"csrf" not in public.content
    assert len(rendered) == 2


def test_a_page_with_a_message_is_not_cached(client: Client, phase: Phase) -> None:
    stand(phase, NAMES)
    waiting = CookieStorage(HttpRequest())._encode([Message(INFO, "You have signed out.")])
    client.cookies["messages"] = waiting
    response = client.get(PAGE)
    assert b"You have signed out." in response.content and "ETag" not in response
    assert b"You have signed out." not in Client().get(PAGE).content


def test_only_pages_for_visitors_are_compressed(client: Client, phase: Phase, member: User) -> None:
    """A page with a token in it, compressed, would tell an eavesdropper about the token."""
    stand(phase, NAMES)
    zipped = client.get(PAGE, headers={"Accept-Encoding": "gzip, br"})
    assert zipped["Content-Encoding"] == "gzip" and "Accept-Encoding" in zipped["Vary"]
    assert gzip.decompress(zipped.content) == client.get(PAGE).content
    client.force_login(member)
    own = client.get(PAGE, headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in own and b"csrfmiddlewaretoken" in own.content


def test_the_least_recently_used_pages_are_dropped() -> None:
    pages = LRUCache[str, CachedResponse](max_size=100, size_of=len)
    for key in "abc":
        pages.put(key, CachedResponse(headers={}, etag=key, body=b"x" * 20, compressed=b"x" * 20))
        pages.get("a")
    assert (pages.get("a") is not None, pages.get("b"), pages.get("c") is not None) == (True, None, True)


@pytest.fixture
def sizes(client: Client, phase: Phase) -> Iterator[Callable[[int, int], tuple[int, bytes]]]:
    """Number of queries, and the compressed page, for so many systems and test sets."""

    def measured(systems: int, sets: int) -> tuple[int, bytes]:
        stand(phase, [f"Team {number}" for number in range(systems)], sets)
        client.get(PAGE)
        queries: list[str] = []

        def note(execute: Any, sql: str, *rest: Any) -> Any:
            queries.append(sql)
            return execute(sql, *rest)

        with connection.execute_wrapper(note):
            page = client.get(f"{PAGE}?sort=team", headers={"Accept-Encoding": "gzip"})
        assert page.status_code == 200
        return len(queries), page.content

    yield measured


def test_queries_and_weight_stay_small_at_any_size(sizes: Callable[[int, int], tuple[int, bytes]]) -> None:
    few, _ = sizes(3, 2)
    many, page = sizes(33, 81)
    assert few == many <= 8, "the clock, phases, whether one is open, standings, what is under way, names"
    assert len(page) < 60_000


def test_the_command_that_reproduces_the_board_is_shown_once_gold_is_released(
    client: Client, blind_task: Task
) -> None:
    phase = blind_task.phases.select_related("task").get()
    standing = stand(phase, NAMES, ranking="official")
    standing.table["gold"] = {"de_one": 1}
    standing.save(update_fields=["table"])
    publish(standing)
    page = "/tasks/blind/leaderboard/"
    assert b"arboretum campaign" not in client.get(page).content
    GoldVersion.objects.update(released_at=timezone.now())
    text = client.get(page).content.decode()
    assert "arboretum campaign gold systems" in text and "--seed 1" in text
