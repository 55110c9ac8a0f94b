"""The pages Settings: for organisers only, with errors at their fields, and nothing written in a preview."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Task
from sharedtask.folders.editing.description import describe
from sharedtask.folders.load_task import load_task
from sharedtask.overview import preview
from tests.sharedtask.support.folders import write_folder

pytestmark = pytest.mark.django_db(transaction=True)
SETTINGS = "/tasks/full/organise/settings/"
SOON = datetime(2126, 5, 1, 12, tzinfo=UTC)
PAGES = (
    "",
    "texts/",
    "downloads/",
    "groups/",
    "release-times/",
    "test-sets/en_two/",
    "new-phase/",
    "phases/test/",
    "phases/post/remove/",
)


@pytest.fixture
def full(db: None, tmp_path: Path) -> Task:
    task = load_task(write_folder(tmp_path / "full"))
    task.test_sets.filter(code="en_two").update(revealed_at=SOON, inputs_released_at=SOON)
    task.organisers.add(User.objects.create_user("organiser", password="a long password"))
    return task


@pytest.fixture
def client(full: Task, client: Client) -> Client:
    client.force_login(User.objects.get(username="organiser"))
    return client


def fields_of(page: Any) -> dict[str, Any]:
    """What a browser would send of the form of a page."""
    form = page.context["form"]
    data: dict[str, Any] = {}
    for field in form:
        value = field.value()
        if value is not None and not (field.widget_type == "checkbox" and not value):
            widget = field.field.widget
            result = widget.format_value(value)
            data[field.html_name] = result[0] if field.widget_type in ("select", "radioselect") else result
    return {name: value for name, value in data.items() if value is not None} | {"reason": "It was wrong."}


def save(client: Client, page: str, **changed: Any) -> Any:
    data = fields_of(client.get(SETTINGS + page)) | changed
    return client.post(SETTINGS + page, {name: value for name, value in data.items() if value is not None})


def text_of(response: Any) -> str:
    return unescape(response.content.decode())


def error_at(response: Any, name: str) -> str:
    (result,) = re.findall(rf'<p class="wrong" id="{re.escape(name)}_error">(.*?)</p>', text_of(response))
    return str(result)


def test_the_pages_are_the_organisers(client: Client, full: Task, member: User) -> None:
    assert {page: client.get(SETTINGS + page).status_code for page in PAGES} == dict.fromkeys(PAGES, 200)
    before = describe(full).values
    for other in (None, member):
        client.logout()
        if other is not None:
            client.force_login(other)
        expected = 302 if other is None else 404
        for page in PAGES:
            assert client.get(SETTINGS + page).status_code == expected, page
            assert client.post(SETTINGS + page, {"reason": "mine", "title": "Mine"}).status_code in (
                expected,
                405,
            )
    assert describe(full).values == before
    assert not AuditEntry.objects.filter(action="edit-task").exists()


def test_the_settings_are_in_the_navigation_of_organisers(client: Client) -> None:
    for page in ("/tasks/full/organise/", SETTINGS + "texts/"):
        assert f'href="{SETTINGS}"' in text_of(client.get(page))
    overview = text_of(client.get(SETTINGS))
    assert f'href="{SETTINGS}test-sets/en_two/"' in overview
    assert f'href="{SETTINGS}phases/test/"' in overview
    assert "2126-05-01 12:00:00 UTC: the name of en_two" in overview


def test_a_page_saved_unchanged_changes_nothing(client: Client, full: Task) -> None:
    before = describe(full).values
    for page in PAGES[1:]:
        if page in ("new-phase/", "phases/post/remove/", "release-times/"):
            continue
        result = save(client, page)
        assert result.status_code == 409, page
        assert "already has these values" in text_of(result), page
    assert describe(full).values == before


def test_texts_are_saved_with_a_reason(client: Client, full: Task) -> None:
    result = save(client, "texts/", title="Another title", faq="Why?\r\n\r\nSo.")
    assert result.headers["Location"] == SETTINGS
    full.refresh_from_db()
    assert (full.title, full.faq, full.rules_version) == ("Another title", "Why?\n\nSo.", 3)
    entry = AuditEntry.objects.get(action="edit-task")
    assert (entry.who_name, entry.reason) == ("organiser", "It was wrong.")
    assert "have been saved" in text_of(client.get(SETTINGS))
    assert "Task edited" in text_of(client.get("/tasks/full/organise/log/"))
    result = save(client, "texts/", title="Third", reason="")
    assert "Please give a reason" in error_at(result, "reason")


def test_errors_are_at_their_fields_and_nothing_filled_in_is_lost(client: Client, full: Task) -> None:
    result = save(client, "texts/", contact="nobody", title="Another title")
    assert result.status_code == 409
    assert error_at(result, "contact") == "Found 'nobody', expected an e-mail address."
    assert 'value="Another title"' in text_of(result)
    result = save(client, "phases/test/", runs_per_day="9")
    assert error_at(result, "runs_per_day") == "Found 9, expected at most “Runs in total” (4)."
    result = save(client, "phases/test/", feedback="scores")
    assert error_at(result, "feedback").startswith("A test phase is blind: expected “Only whether")
    result = save(client, "test-sets/en_two/", inputs_released_at="2126-04-01T00:00:00")
    assert "cannot be released before" in error_at(result, "inputs_released_at")
    result = save(client, "test-sets/en_two/", revealed_at="tomorrow")
    assert error_at(result, "revealed_at") == "Please enter a time such as 2026-05-01T12:00."
    result = save(
        client, "release-times/", which="inputs_released_at", time="2126-04-01T00:00", test_sets=["en_two"]
    )
    assert "Test set en_two: inputs cannot be released before the set is revealed." in text_of(result)
    full.refresh_from_db()
    assert full.title == "A full task"


def test_what_happens_at_once_is_confirmed_on_the_page(client: Client, full: Task) -> None:
    english = full.test_sets.get(code="en_two")
    result = save(client, "test-sets/en_two/", revealed_at="")
    assert result.status_code == 409
    assert "Everyone can see the name of en_two and the sample of en_two at once." in text_of(result)
    (digest,) = re.findall(r'name="confirmed" value="(\w+)"', text_of(result))
    english.refresh_from_db()
    assert english.revealed_at == SOON
    save(client, "test-sets/en_two/", revealed_at="", confirmed=digest)
    english.refresh_from_db()
    assert english.revealed_at is None
    assert "Now: everyone can see that this test set exists." in text_of(
        client.get(SETTINGS + "test-sets/en_two/")
    )


def test_a_conflict_shows_what_the_site_has_now(client: Client, full: Task) -> None:
    response = fields_of(client.get(SETTINGS + "texts/"))
    save(client, "texts/", summary="The quicker one.")
    result = client.post(SETTINGS + "texts/", response | {"summary": "The slower one."})
    assert result.status_code == 409
    assert "Someone else changed this while you were editing" in text_of(result)
    assert "The quicker one." in text_of(result)
    assert "The slower one." in text_of(result)
    assert "Title" not in [label for label, _ in result.context["form"].meanwhile]
    full.refresh_from_db()
    assert full.summary == "The quicker one."
    again = fields_of(result)
    assert again["version"] != response["version"]
    client.post(SETTINGS + "texts/", again)
    full.refresh_from_db()
    assert full.summary == "The slower one."


def test_rows_of_downloads_and_groups(client: Client, full: Task) -> None:
    new = {"0-kind": "training", "0-title": "UD 2.0", "0-url": "https://example.org/ud"}
    save(
        client, "downloads/", **new, **{"2-kind": "other", "2-title": "More", "2-url": "https://example.org"}
    )
    full.refresh_from_db()
    assert [entry["title"] for entry in full.downloads] == ["UD 2.0", "More"]
    result = save(client, "downloads/", **{"0-title": "", "0-url": "", "1-url": "ftp://example.org"})
    assert "expected an address with https://" in error_at(result, "1-url"), "rows are counted as on the page"
    save(client, "downloads/", **{"0-title": "", "0-url": ""})
    full.refresh_from_db()
    assert full.downloads == [{"kind": "other", "title": "More", "url": "https://example.org"}]
    save(client, "groups/", **{"0-name": "large", "0-position": "9", "1-name": "", "3-name": "new"})
    full.refresh_from_db()
    assert full.groups == ["surprise", "large", "new"]
    assert full.test_sets.get(code="de_one").groups == ["large"]


def test_phases_come_and_go(client: Client, full: Task) -> None:
    save(
        client,
        "new-phase/",
        code="extra",
        title="Extra",
        kind="post-evaluation",
        feedback="scores",
        opens_at="2126-06-01T12:00",
        runs_total="5",
    )
    phase = full.phases.get(code="extra")
    assert (phase.opens_at, phase.runs_total) == (datetime(2126, 6, 1, 12, tzinfo=UTC), 5)
    assert phase.test_sets.count() == 2
    assert save(client, "phases/extra/remove/").status_code == 302
    assert not full.phases.filter(code="extra").exists()


def test_a_preview_cannot_edit(client: Client, full: Task) -> None:
    session = client.session
    session[preview.SESSION_KEY] = {
        "task": "full",
        "view_as": "visitor",
        "at": SOON.isoformat(),
        "published": False,
    }
    response = fields_of(client.get(SETTINGS + "texts/"))
    session.save()
    assert client.get(SETTINGS + "texts/").status_code != 200
    assert client.post(SETTINGS + "texts/", response | {"title": "Previewed"}).status_code >= 400
    full.refresh_from_db()
    assert full.title == "A full task"
