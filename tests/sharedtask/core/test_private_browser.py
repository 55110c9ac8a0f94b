"""Back and forward in a browser: they work for who is signed in, and show nothing to who comes after."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from playwright.sync_api import Page, expect

from sharedtask.competition.models import Phase
from tests.sharedtask.support.people import PASSWORD, person
from tests.sharedtask.support.standing import compare, scored

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("as_worker"),
]


@pytest.fixture
def signed_in(live_server: Any, page: Page, phase: Phase) -> Page:
    cache.clear()
    person("ash")
    for name, las in (("Ash", 0.9), ("Birch", 0.6)):
        scored(phase, name, las)
    compare(phase)
    page.goto(f"{live_server.url}/sign-in/")
    page.get_by_label("Name or e-mail").fill("ash")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    return page


def test_after_signing_out_back_shows_no_private_page(live_server: Any, signed_in: Page) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/account/")
    expect(page.get_by_text("ash@example.org").first).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_text("ash@example.org")).to_have_count(0)


def test_back_and_forward_work_while_signed_in(live_server: Any, signed_in: Page) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/tasks/tiny/matrix/")
    page.get_by_label("Cells show").select_option("rank")
    expect(page).to_have_url(f"{live_server.url}/tasks/tiny/matrix/?show=rank")
    page.goto(f"{live_server.url}/account/")
    page.go_back()
    expect(page).to_have_url(f"{live_server.url}/tasks/tiny/matrix/?show=rank")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    page.go_back()
    expect(page.get_by_label("Cells show")).to_have_value("")
    page.go_forward()
    expect(page.get_by_label("Cells show")).to_have_value("rank")
    page.go_forward()
    expect(page.get_by_text("ash@example.org").first).to_be_visible()
