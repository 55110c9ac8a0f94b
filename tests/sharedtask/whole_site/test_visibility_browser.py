"""The life of a task in a real browser for three roles: a visitor, a member of a team, an organiser.

The site's clock is moved between the acts; the pictures show the same pages as each of the three sees them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, Page, expect

from sharedtask.core import clock
from sharedtask.standings.recompute import request_stale
from sharedtask.submissions.models import Run
from tests.sharedtask.support.worlds import (
    SEALED,
    SURPRISE,
    TEST_CLOSES,
    TEST_OPENS,
    Variant,
    World,
    archive,
    build,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
ROLES = ("visitor", "member", "organiser")


class Site:
    """Windows of three people on the same site."""

    def __init__(self, world: World, browser: Browser, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder
        self.contexts: dict[str, BrowserContext] = {}
        self.pages: dict[str, Page] = {}
        for name in ROLES:
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            context.set_default_timeout(60_000)
            cookie = world.client(name).cookies.get(settings.SESSION_COOKIE_NAME)
            if cookie is not None:
                context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": url}])
            self.contexts[name], self.pages[name] = context, context.new_page()

    def go(self, name: str, path: str) -> Page:
        page = self.pages[name]
        page.goto(self.url + path)
        # Nothing may be wider than the window: tables scroll in their own boxes.
        assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]  # type: ignore[index]
        return page

    def photograph(self, name: str, what: str) -> None:
        page = self.pages[name]
        page.screenshot(path=self.folder / f"{what}-{name}.png", full_page=True)


@pytest.fixture
def move(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """Only the site's clock: the browser keeps its own."""
    now = [TEST_OPENS]
    monkeypatch.setattr(clock, "now_and_snapshot", lambda: (clock._stopped_at.get() or now[0], None))

    def move(at: datetime) -> None:
        now[0] = at

    return move


def test_three_roles_from_the_blind_test_to_the_results(
    browser: Browser,
    live_server: Any,
    screenshots: Path,
    tmp_path: Path,
    move: Callable[[datetime], None],
    work: Callable[[], None],
) -> None:
    world = build(Variant())
    site = Site(world, browser, live_server.url, screenshots)
    move(TEST_OPENS)

    # Blind: the member uploads, and reads of every file whether it is valid.
    sent = tmp_path / "run.zip"
    sent.write_bytes(archive("de_one en_two", lemma="mine", broken="en_two"))
    page = site.go("member", "/tasks/mini/upload/")
    phase = page.get_by_label("Phase", exact=True)
    if phase.count():
        phase.select_option("test")
    page.locator("input[type=file]").set_input_files(sent)
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url("**/runs/**")
    work()
    run = Run.objects.get()
    page = site.go("member", run.get_absolute_url())
    expect(page.locator("#run-state")).to_have_attribute("data-state", "checked")
    expect(page.get_by_text("Checked: 1 of 2 files are valid.")).to_be_visible()
    site.photograph("member", "blind-run")
    assert site.go("visitor", run.get_absolute_url()).title().startswith("Page not found")
    expect(site.go("organiser", run.get_absolute_url()).locator("#run-state")).to_have_attribute(
        "data-state", "scored"
    )
    site.photograph("organiser", "blind-run")

    # The surprise set: the organiser previews its time, the others wait for it.
    site.go("organiser", "/tasks/mini/visibility/")
    site.photograph("organiser", "who-sees-what")
    page = site.go("organiser", "/tasks/mini/preview/")
    site.photograph("organiser", "preview-begins")
    page.get_by_label("View as").select_option(label="a member of Alder")
    page.get_by_label("Time (UTC)").fill(f"{SURPRISE:%Y-%m-%dT%H:%M}")
    page.get_by_role("button", name="Start preview").click()
    expect(page.get_by_label("Preview")).to_contain_text("a member of Alder")
    expect(page.get_by_text(SEALED).first).to_be_visible()
    site.photograph("organiser", "preview")
    page.get_by_role("button", name="End preview").click()
    expect(page.get_by_label("Preview")).to_have_count(0)
    for name in ("visitor", "member"):
        expect(site.go(name, "/tasks/mini/").get_by_text(SEALED)).to_have_count(0)
        site.photograph(name, "before-the-surprise")
    move(SURPRISE)
    for name in ("visitor", "member"):
        expect(site.go(name, "/tasks/mini/").get_by_text(SEALED).first).to_be_visible()
        site.photograph(name, "after-the-surprise")

    # Published: everybody sees the same table, and names instead of pseudonyms.
    move(TEST_CLOSES)
    # The standings have to take the new test sets in before they can be published.
    page = site.go("organiser", "/tasks/mini/publish/")
    expect(page.get_by_text("the standing will be computed within a minute").first).to_be_visible()
    expect(page.get_by_role("button", name="Publish results")).to_have_count(0)
    request_stale(at=clock.database_now())
    work()
    page = site.go("organiser", "/tasks/mini/publish/")
    page.get_by_label("Reason, for the audit log").fill("all is checked")
    page.get_by_role("button", name="Publish results").click()
    page.wait_for_url("**/leaderboard/**")
    for name in ROLES:
        page = site.go(name, "/tasks/mini/leaderboard/?phase=test")
        expect(page.get_by_role("rowheader").get_by_text("Alder")).to_be_visible()
        site.photograph(name, "published")
    for context in site.contexts.values():
        context.close()
