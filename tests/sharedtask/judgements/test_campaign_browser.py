"""A campaign from set-up to an export that is loaded again, in a real browser, on the demo task."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.content.demo import teams
from sharedtask.folders.load_task import load_task
from sharedtask.judgements.models import Assignment, Campaign
from tests.machinery.site import ROOT
from tests.sharedtask.support.judging import analyse

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("as_worker"),
]
Work = Callable[[], None]
PATIENCE = 60_000
LANGUAGES = ("German", "Spanish")
PER_LANGUAGE = {"Items per pair": 10, "Control items": 1, "Repeated items": 1}
ITEMS = len(LANGUAGES) * PER_LANGUAGE["Items per pair"]
TO_JUDGE = len(LANGUAGES) * sum(PER_LANGUAGE.values())
SYSTEMS = ("Hornbeam", "Linden")


@pytest.fixture
def task(db: None, monkeypatch: pytest.MonkeyPatch, dispatched: object, work: Work) -> Task:
    """The demo task with two of its teams."""
    task = load_task(ROOT / "demo")
    monkeypatch.setattr(teams, "TEAMS", [team for team in teams.TEAMS if team.name in SYSTEMS])
    users = {name: User.objects.create_user(name.lower()) for name in SYSTEMS}
    teams.upload_demo_runs(task, ROOT / "demo", users)
    work()
    return task


@pytest.fixture
def open_window(
    browser: Browser,
    live_server: Any,
    signed_in: Callable[[User], Client],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[..., Page]]:
    contexts: list[BrowserContext] = []
    # For the address in the invitation.
    monkeypatch.setattr(settings, "SITE_URL", live_server.url)

    def open_window(user: User, *, width: int = 1280) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 800})
        context.set_default_timeout(PATIENCE)
        cookie = signed_in(user).cookies[settings.SESSION_COOKIE_NAME]
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
        contexts.append(context)
        return context.new_page()

    yield open_window
    for context in contexts:
        context.close()


def test_a_campaign_from_set_up_to_an_export_that_is_loaded_again(
    task: Task,
    organiser: User,
    open_window: Callable[..., Page],
    live_server: Any,
    work: Work,
    tmp_path: Path,
) -> None:
    window = open_window(organiser)
    link = set_up(window, f"{live_server.url}/tasks/demo/organise/campaigns/", work)
    for name, width in (("ann", 1280), ("ben", 390), ("cem", 1280)):
        annotator = open_window(User.objects.create_user(name), width=width)
        join(annotator, link)
        judge_everything(annotator, pattern=name, breaks_connection=name == "cem")
        assert annotator.evaluate("document.documentElement.scrollWidth") <= width
    assert Assignment.objects.judged().count() == 3 * TO_JUDGE
    assert not Assignment.objects.judged().filter(seconds=None).exists()
    analyse(work)
    campaign = publish(window)
    archive = tmp_path / "export.zip"
    with window.expect_download() as download:
        window.get_by_role("link", name="Judgements and trees").click()
    download.value.save_as(archive)
    call_command("load_judgements", str(archive), slug="again", stdout=io.StringIO())
    loaded = Campaign.objects.get(task__slug="again")
    assert figures(loaded) == figures(campaign)
    window.goto(f"{live_server.url}/tasks/again/judgements/{loaded.public_id}/")
    expect(window.get_by_role("heading", name="Table 4: correlations of metrics with people")).to_be_visible()


def set_up(window: Page, address: str, work: Work) -> str:
    """The link for annotators."""
    window.goto(address)
    window.get_by_role("link", name="New campaign").click()
    window.get_by_label("Title").fill("Which is better?")
    for name in SYSTEMS:
        window.get_by_label(name).check()
    for language in LANGUAGES:
        window.get_by_label(language).check()
    for label, number in PER_LANGUAGE.items():
        window.get_by_label(label).fill(str(number))
    window.get_by_label("Annotators may answer").check()
    window.get_by_label("Guidelines").fill("Prefer the tree with **fewer** errors.")
    window.get_by_role("button", name="Create the campaign").click()
    window.get_by_role("button", name="Draw the items").click()
    expect(window.get_by_text("The items are being drawn.")).to_be_visible()
    work()
    # The page notices it by itself.
    window.get_by_role("link", name="Preview as an annotator").click()
    expect(window.get_by_text("nothing is saved")).to_be_visible()
    window.go_back()
    window.get_by_role("button", name="Open the campaign").click()
    window.get_by_label("Number of people").fill("3")
    window.get_by_role("button", name="Create a link").click()
    return window.get_by_label("Link of the invitation").input_value()


def join(annotator: Page, link: str) -> None:
    annotator.goto(link)
    for language in LANGUAGES:
        annotator.get_by_label(language).select_option("native")
    annotator.get_by_label("I agree").check()
    annotator.get_by_role("button", name="Begin").click()


def judge_everything(annotator: Page, *, pattern: str, breaks_connection: bool) -> None:
    """By keyboard alone."""
    for number in range(TO_JUDGE):
        expect(annotator.get_by_text(f"{number} judged")).to_be_visible()
        # Keys work as soon as the page is complete.
        annotator.wait_for_load_state()
        if breaks_connection and number in (4, 11):
            annotator.context.set_offline(True)
        annotator.keyboard.press(
            "=" if number % 9 == 8 else "12"[ord(pattern[number % 3]) * (number + 3) % 5 % 2]
        )
        if breaks_connection and number in (4, 11):
            expect(annotator.get_by_text("Your answer has not been saved yet.")).to_be_visible()
            annotator.context.set_offline(False)
    expect(annotator.get_by_text("There is nothing to judge at the moment.")).to_be_visible()


def publish(window: Page) -> Campaign:
    window.reload()
    expect(window.get_by_text(f"{3 * ITEMS} of {3 * ITEMS} judgements")).to_be_visible()
    expect(window.get_by_text("Agreement so far")).to_be_visible()
    window.get_by_role("button", name="Close the campaign").click()
    window.get_by_role("button", name="Publish the results").click()
    expect(window.get_by_text("The results are public.")).to_be_visible()
    window.get_by_role("link", name="Results").click()
    for heading in ("Agreement", "Preference", "Competence", "Controls and repeated items"):
        expect(window.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    return Campaign.objects.get(task__slug="demo")


def figures(campaign: Campaign) -> Any:
    address = f"/tasks/{campaign.task.slug}/judgements/{campaign.public_id}/judgements.json"
    return json.loads(Client().get(address).content)
