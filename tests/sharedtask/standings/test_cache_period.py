"""What is remembered for visitors holds as long as nothing changes, in the database or by the clock."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.core import clock, database_version
from sharedtask.standings.models import Publication
from sharedtask.standings.page_cache import period
from sharedtask.teams.models import Team
from tests.sharedtask.support.boards import stand
from tests.sharedtask.support.standing import compare, scored

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("dispatched")]

PAGE = "/tasks/tiny/leaderboard/"


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    period.PERIODS.clear()


@contextmanager
def counted() -> Iterator[list[str]]:
    queries: list[str] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        queries.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        yield queries


@pytest.fixture
def addresses(phase: Phase, as_worker: None) -> list[str]:
    """Of every page that visitors get from memory, each with a team's name in it."""
    runs = [scored(phase, name, las) for name, las in (("Ash", 0.8), ("Birch", 0.7))]
    compare(phase)
    both = "&".join(f"with={run.public_id}" for run in runs)
    own = f"systems/{runs[1].system.public_id}/"
    below = ("leaderboard/", "matrix/", "sets/?sort=best", "sets/de_one/", own, f"compare/?{both}")
    return [f"/tasks/tiny/{page}" for page in below]


def test_while_nothing_changes_a_page_asks_for_the_time_and_nothing_else(
    client: Client, addresses: list[str]
) -> None:
    for address in addresses:
        first = client.get(address)
        assert first.status_code == 200 and b"csrf" not in first.content
        with counted() as queries:
            assert client.get(address).content == first.content
            again = client.get(address, headers={"If-None-Match": first["ETag"]})
        assert again.status_code == 304
        assert [query.split("(")[0] for query in queries] == ["SELECT clock_timestamp"] * 2, address


def test_a_cached_page_changes_only_with_acts_that_it_shows(
    client: Client, addresses: list[str], member: User
) -> None:
    before = {address: client.get(address) for address in addresses}
    User.objects.filter(pk=member.pk).update(full_name="Elm")
    for address, page in before.items():
        assert client.get(address, headers={"If-None-Match": page["ETag"]}).status_code == 304
    Team.objects.filter(name="Ash").update(name="Elm")
    for address, page in before.items():
        after = client.get(address, headers={"If-None-Match": page["ETag"]})
        assert after.status_code == 200 and b"Elm" in after.content, address
    client.force_login(member)
    for address in addresses:
        own = client.get(address)
        assert "ETag" not in own and b"Sign out" in own.content, address


def test_any_change_by_anybody_is_seen_by_the_next_reader(client: Client, phase: Phase) -> None:
    stand(phase, ("Ash", "Birch"))
    assert b"Birch" in client.get(PAGE).content
    Team.objects.filter(name="Birch").update(name="Elm")
    assert b"Elm" in client.get(PAGE).content
    with connection.cursor() as cursor:
        cursor.execute("UPDATE teams_team SET name = 'Oak' WHERE name = 'Elm'")
    assert b"Oak" in client.get(PAGE).content
    stand(phase, ("Ash", "Yew"))
    page = client.get(PAGE).content
    assert b"Yew" in page and b"Oak" not in page


def test_a_rolled_back_change_is_never_shown(client: Client, phase: Phase) -> None:
    stand(phase, ("Ash", "Birch"))
    before = client.get(PAGE)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        Team.objects.filter(name="Birch").update(name="Elm")
        raise ZeroDivisionError
    assert client.get(PAGE).content == before.content


NOW_AND_SNAPSHOT = clock.now_and_snapshot


def later(*, minutes: int) -> Callable[[], tuple[datetime, str | None]]:
    """A clock that is ahead; what the database says of its changes stays."""

    def now_and_snapshot() -> tuple[datetime, str | None]:
        moment, snapshot = NOW_AND_SNAPSHOT()
        return moment + timedelta(minutes=minutes), snapshot

    return now_and_snapshot


def test_a_phase_that_the_clock_opens_is_seen_when_it_opens(
    client: Client, phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand(phase, ("Ash", "Birch"))
    soon = clock.database_now() + timedelta(hours=1)
    Phase.objects.create(task=phase.task, code="next", title="The next", feedback="scores", opens_at=soon)
    assert b"The next" not in client.get(PAGE).content
    with counted() as queries:
        monkeypatch.setattr(clock, "now_and_snapshot", later(minutes=50))
        assert b"The next" not in client.get(PAGE).content
    assert len(queries) == 1, "nothing has changed yet"
    monkeypatch.setattr(clock, "now_and_snapshot", later(minutes=60))
    assert b"The next" in client.get(PAGE).content


def test_a_test_set_that_the_clock_reveals_is_seen_when_it_is_revealed(
    client: Client, phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, soon = "/tasks/tiny/sets/", clock.database_now() + timedelta(hours=1)
    phase.task.test_sets.filter(code="de_one").update(revealed_at=soon)
    assert b"de_one" not in client.get(page).content
    monkeypatch.setattr(clock, "now_and_snapshot", later(minutes=60))
    assert b"de_one" in client.get(page).content


def test_a_page_without_results_is_not_cached_beyond_publication(client: Client, blind_task: Task) -> None:
    phase = blind_task.phases.select_related("task").get()
    standing = stand(phase, ("Ash", "Birch"), ranking="official")
    page = "/tasks/blind/leaderboard/"
    assert all(b"No results yet" in client.get(page).content for _ in range(2))
    assert client.get(page + "?phase=other").status_code == 404
    with transaction.atomic():
        publication = Publication.objects.create(task=blind_task)
        publication.standings.add(standing)
        Task.objects.filter(pk=blind_task.pk).update(results_published_at=publication.at)
    assert b"No results yet" not in client.get(page).content
    assert b"Birch" in client.get(page).content


def test_inside_a_transaction_nothing_is_cached(phase: Phase) -> None:
    assert database_version.now_and_version()[1] == database_version.now_and_version()[1] is not None
    with transaction.atomic():
        assert database_version.now_and_version()[1] is None


def test_with_a_replaced_clock_nothing_is_cached(phase: Phase, monkeypatch: pytest.MonkeyPatch) -> None:
    database_version.now_and_version()
    now = clock.database_now()
    monkeypatch.setattr(clock, "now_and_snapshot", lambda: (now, None))
    assert database_version.now_and_version() == (now, None)


def test_the_sqlite_version_changes_with_commits_only(tmp_path: Path) -> None:
    file = str(tmp_path / "db.sqlite3")
    other = sqlite3.connect(file)
    other.execute("PRAGMA journal_mode=WAL")
    other.execute("CREATE TABLE t (n INTEGER)")
    other.commit()
    before = database_version._sqlite_version(file)
    other.execute("SELECT * FROM t").fetchall()
    other.execute("INSERT INTO t VALUES (1)")
    assert database_version._sqlite_version(file) == before, "it is not committed"
    other.rollback()
    assert database_version._sqlite_version(file) == before
    for number in range(3):
        other.execute("INSERT INTO t VALUES (?)", [number])
        other.commit()
        after = database_version._sqlite_version(file)
        assert after != before
        before = after
