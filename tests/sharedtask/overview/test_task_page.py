"""A task's page: what it is, what comes next, how this reader takes part; and the links above every page."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sharedtask.accounts.models import User
from sharedtask.competition.citation import citation_of
from sharedtask.competition.models import Phase, Task, TestSet
from sharedtask.core import clock
from sharedtask.core.templatetags.moments import seconds_until, until
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.storing import store_raw_text

AT = datetime(2026, 5, 1, 12, tzinfo=UTC)
ENTRY = "@inproceedings{tree,\n  title = {On {Trees}},\n}"


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ({"days": 3, "hours": 4, "minutes": 59}, "3 days 4 hours"),
        ({"days": 1}, "1 day"),
        ({"hours": 1, "minutes": 1, "seconds": 59}, "1 hour 1 minute"),
        ({"seconds": 61}, "1 minute 1 second"),
        ({"seconds": 0.2}, "1 second"),
        ({"seconds": -5}, "no time"),
    ],
)
def test_the_time_left_is_told_in_its_two_largest_units(after: dict[str, float], words: str) -> None:
    assert until(AT + timedelta(**after), AT) == words


def test_the_script_counts_down_from_whole_seconds_and_never_below_none() -> None:
    assert seconds_until(AT + timedelta(seconds=1.5), AT) == 2
    assert seconds_until(AT - timedelta(days=1), AT) == 0


@pytest.mark.parametrize("text", [f"Cite it.\n\n{ENTRY}", f"Cite it.\n\n```bibtex\n{ENTRY}\n```\n"])
def test_an_entry_of_bibtex_is_found_in_the_citation(text: str) -> None:
    assert citation_of(text).text == "Cite it."
    assert citation_of(text).bibtex == ENTRY


def test_a_citation_without_bibtex_stays_as_it_is_and_one_without_an_end_is_taken_whole() -> None:
    assert citation_of("Write to me@example.org.").text == "Write to me@example.org."
    assert citation_of("@misc{open, title = {x}").bibtex == "@misc{open, title = {x}"
    assert citation_of(f"{ENTRY}\n{ENTRY}").bibtex.count("@inproceedings") == 2


def test_inputs_that_are_out_come_in_one_zip_and_no_others(client: Client, blind_task: Task) -> None:
    def names() -> list[str]:
        answer = client.get("/tasks/blind/inputs.zip")
        assert answer.status_code in (200, 404)
        content = b"".join(answer.streaming_content) if answer.streaming else b""  # type: ignore[attr-defined]
        return zipfile.ZipFile(io.BytesIO(content)).namelist() if content else []

    assert names() == ["blind/raw/de_one.txt", "blind/raw/en_two.txt"]
    assert "/tasks/blind/inputs.zip" in client.get("/tasks/blind/").content.decode()
    TestSet.objects.filter(code="en_two").update(inputs_released_at="2099-01-01T00:00Z")
    assert names() == ["blind/raw/de_one.txt"]
    assert "/tasks/blind/inputs.zip" not in client.get("/tasks/blind/").content.decode(), "a single file"
    TestSet.objects.update(revealed_at="2099-01-01T00:00Z")
    assert names() == []


def steps(client: Client) -> list[tuple[str, str]]:
    page = client.get("/tasks/tiny/").content.decode()
    return re.findall(r'<li class="(done|next|ahead)"[^>]*>\s*<h3>([^<]+?)\s*<', page)


@pytest.mark.django_db(transaction=True)
def test_the_three_steps_tell_each_reader_where_they_are(
    client: Client, task: Task, member: User, upload: Callable[..., Run], team: Team
) -> None:
    assert [state for state, _ in steps(client)] == ["next", "ahead", "ahead"]
    client.force_login(User.objects.create_user("newcomer", password="a long password"))
    assert [state for state, _ in steps(client)] == ["done", "next", "ahead"]
    client.force_login(member)
    assert [state for state, _ in steps(client)] == ["done", "done", "next"]
    Team.objects.update(registration="requested")
    assert [state for state, _ in steps(client)] == ["done", "next", "ahead"]
    assert "An organiser must confirm it" in client.get("/tasks/tiny/").content.decode()
    Team.objects.update(registration="confirmed")
    upload(good_archive())
    assert steps(client) == [], "whoever takes part need not be told how"


@pytest.mark.django_db
def test_the_next_deadline_is_counted_down_and_a_surprise_is_not_announced(
    client: Client, task: Task
) -> None:
    now = clock.database_now()
    assert "next-deadline" not in client.get("/tasks/tiny/").content.decode()
    Phase.objects.update(closes_at=now + timedelta(days=2, hours=5, minutes=1))
    TestSet.objects.filter(code="de_one").update(revealed_at=now + timedelta(hours=1))
    page = client.get("/tasks/tiny/").content.decode()
    deadline = page[page.index("next-deadline") :]
    assert deadline.index("Open phase closes") < deadline.index("2 days 5 hours")
    assert "2 days 5 hours" in client.get("/").content.decode(), "the first page tells it as well"


@pytest.mark.django_db
def test_the_page_asks_as_often_for_many_test_sets(client: Client, task: Task) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get("/tasks/tiny/")
        return len(captured)

    few = queries()
    for number in range(6):
        more = TestSet.objects.create(task=task, code=f"more{number}", language="More", language_tag="en")
        store_raw_text(more, "Some text\n")
    assert queries() == few


def links(client: Client, address: str) -> dict[str, bool]:
    """The words of the line of links, and whether the reader is there."""
    page = client.get(address).content.decode()
    line = page[page.index('class="task-nav"') :].split("</nav>")[0]
    return {
        words: "aria-current" in attributes
        for attributes, words in re.findall(r"<a ([^>]*)>([^<]+)</a>", line)
    }


@pytest.mark.django_db
def test_the_line_of_links_has_what_a_reader_may_open_and_marks_where_they_are(
    client: Client, task: Task, blind_task: Task, team: Team, member: User
) -> None:
    assert links(client, "/tasks/blind/") == {"Task": True, "Test sets": False, "Take part": False}
    assert links(client, "/tasks/tiny/")["Leaderboard"] is False
    assert links(client, "/tasks/tiny/leaderboard/")["Leaderboard"] is True
    client.force_login(member)
    assert links(client, "/tasks/tiny/team/")["Your team"] is True
    assert "Organise" not in links(client, "/tasks/tiny/")
    blind_task.organisers.add(member)
    assert links(client, "/tasks/blind/organise/calendar/")["Organise"] is True
    assert "task-nav" not in client.get("/").content.decode()


@pytest.mark.django_db
def test_nobody_is_invited_to_a_task_that_is_over(client: Client, blind_task: Task) -> None:
    past = datetime.now(UTC) - timedelta(days=1)
    blind_task.phases.update(opens_at=past - timedelta(days=1), closes_at=past)
    assert "Take part" not in links(client, "/tasks/blind/")


@pytest.mark.django_db
def test_a_page_of_results_asks_nothing_for_its_links(client: Client, task: Task) -> None:
    with CaptureQueriesContext(connection) as captured:
        assert client.get("/tasks/tiny/leaderboard/").status_code == 200
    asked = [query["sql"] for query in captured if "results_published_at" in query["sql"]]
    assert len(asked) <= 2, "the task, and the phases that this reader may see"
