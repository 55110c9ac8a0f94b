"""Annotators judge in a real browser: by keyboard, on a phone, and with a connection that breaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page, expect

from sharedtask.accounts.models import User
from sharedtask.core import clock
from sharedtask.judgements import set_up
from sharedtask.judgements.assign import assign_next
from sharedtask.judgements.models import Annotator, Campaign

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def open_page(
    browser: Browser, live_server: Any, campaign: Campaign, signed_in: Callable[[User], Client]
) -> Any:
    contexts = []

    def open_page(annotator: Annotator, *, width: int = 1280) -> Page:
        assert annotator.user is not None
        assign_next(annotator, at=clock.database_now())
        context = browser.new_context(viewport={"width": width, "height": 800})
        context.set_default_timeout(60_000)
        cookie = signed_in(annotator.user).cookies[settings.SESSION_COOKIE_NAME]
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
        contexts.append(context)
        page = context.new_page()
        page.goto(f"{live_server.url}/judge/{campaign.public_id}/")
        return page

    yield open_page
    for context in contexts:
        context.close()


def judged(page: Page, number: int) -> None:
    expect(page.get_by_text(f"{number} judged")).to_be_visible(timeout=60_000)


def test_items_are_judged_skipped_and_taken_back_by_keyboard(
    campaign: Campaign, join: Callable[[str], Annotator], open_page: Callable[..., Page]
) -> None:
    annotator = join("ann")
    page = open_page(annotator)
    page.keyboard.press("1")
    judged(page, 1)
    page.keyboard.press("=")
    judged(page, 2)
    page.keyboard.press("u")
    judged(page, 1)
    # A key that is held down answers one item and not those that follow.
    page.keyboard.down("1")
    page.keyboard.down("1")
    judged(page, 2)
    page.wait_for_load_state()
    page.keyboard.down("1")
    page.wait_for_timeout(1000)
    page.keyboard.up("1")
    judged(page, 2)
    page.context.set_offline(True)
    page.keyboard.press("u")
    expect(page.get_by_text("Your answer has not been taken back yet.")).to_be_visible()
    page.context.set_offline(False)
    judged(page, 1)
    page.wait_for_load_state()
    page.keyboard.press("d")
    expect(page.locator("#trees-box")).to_have_class("box scroll trees highlight")
    page.keyboard.press("?")
    expect(page.get_by_text("highlight the differences", exact=True)).to_be_visible()
    page.context.set_offline(True)
    page.keyboard.press("s")
    page.keyboard.type("Not a sentence")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your answer has not been saved yet.")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator("#skipping[open]")).to_have_count(0, timeout=60_000)
    choices = [row.choice for row in annotator.assignments.order_by("position")]
    assert choices[0] in ("first", "second") and choices[1] == ""
    skipped = annotator.assignments.exclude(skip_reason="").get()
    assert skipped.skip_reason == "Not a sentence"


def test_a_phone_shows_the_answers_and_an_answer_survives_a_broken_connection(
    campaign: Campaign, join: Callable[[str], Annotator], open_page: Callable[..., Page]
) -> None:
    annotator = join("ann")
    page = open_page(annotator, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.context.set_offline(True)
    page.get_by_role("button", name="Tree 2").click()
    expect(page.get_by_text("Your answer has not been saved yet.")).to_be_visible()
    assert not annotator.assignments.judged().exists()
    page.context.set_offline(False)
    judged(page, 1)
    assert annotator.assignments.judged().get().seconds is not None


def test_an_answer_survives_signing_out_and_one_that_comes_too_late_is_reported(
    campaign: Campaign, join: Callable[[str], Annotator], open_page: Callable[..., Page], organiser: User
) -> None:
    annotator = join("ann")
    page = open_page(annotator)
    session = page.context.cookies()
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    page.keyboard.press("1")
    page.wait_for_url("**/sign-in/**")
    assert not annotator.assignments.judged().exists()
    page.context.add_cookies(session)
    page.goto(page.url.partition("/sign-in")[0] + f"/judge/{campaign.public_id}/")
    judged(page, 1)
    page.wait_for_load_state()
    set_up.close_campaign(campaign=campaign, by=organiser)
    page.keyboard.press("2")
    expect(page.get_by_text("Nothing was saved")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("The campaign is closed.")).to_be_visible()
    assert annotator.assignments.judged().count() == 1
