"""The miniature of CoNLL 2017 in a browser: visitor, participant and organiser, with a picture of each act.

The same stage as in `test_miniature_conll17.py`; a second team acts behind the scenes, over HTTP.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.sharedtask.support.building import zip_of
from tests.sharedtask.support.miniature import (
    AFTER,
    ANNOUNCED,
    BLIND,
    CLOSING,
    CORRECTED,
    DAY,
    DEVELOPMENT,
    EXTENDED,
    GOLD,
    HOUR,
    ORGANISE,
    SURPRISE,
    TASK,
    TEST,
    WORDS,
    Stage,
    folder,
    staged,
)
from tests.sharedtask.support.people import PASSWORD
from tests.sharedtask.support.worlds import tree

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PATIENCE = 30_000


class Walk:
    """Three windows, one for each role, whose clocks go with the site's."""

    def __init__(self, stage: Stage, browser: Browser, pictures: Path) -> None:
        self.stage, self.pictures, self.number = stage, pictures, 0
        self.pages: dict[str, Page] = {}
        for role in ("visitor", "alder", "organiser"):
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            context.set_default_timeout(60_000)
            self.pages[role] = context.new_page()

    def move(self, at: datetime) -> None:
        self.stage.move(at)
        for page in self.pages.values():
            page.clock.set_system_time(at)

    def go(self, role: str, path: str) -> Page:
        """A session that has ended in the months between is begun again."""
        page = self.pages[role]
        page.goto(self.stage.url + path)
        if "/sign-in/" in page.url:
            page.locator("[name=login]").fill(role)
            page.locator("[name=password]").fill(PASSWORD)
            page.get_by_role("main").get_by_role("button", name="Sign in").click()
            page.goto(self.stage.url + path)
        return page

    def picture(self, role: str, act: str) -> None:
        """Nothing may be wider than the window."""
        self.number += 1
        page = self.pages[role]
        # A click may have led to another page, which has nothing to measure before it is loaded.
        page.wait_for_load_state()
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        page.screenshot(path=self.pictures / f"miniature-{self.number:02}-{act}-{role}.png", full_page=True)

    def upload(self, files: dict[str, str], phase: str, state: str) -> Page:
        page = self.go("alder", TASK + "upload/")
        content = zip_of({f"{code}.conllu": text for code, text in files.items()})
        values = {"name": "alder.zip", "mimeType": "application/zip", "buffer": content}
        page.locator("[name=archive]").set_input_files(values)  # type: ignore[arg-type]
        if page.locator("select[name=phase]").count():
            page.locator("select[name=phase]").select_option(phase)
        page.get_by_role("main").get_by_role("button", name=re.compile("^Upload")).first.click()
        expect(page).to_have_url(re.compile("/runs/"))
        expect(page.locator("#run-state")).to_have_attribute("data-state", state, timeout=PATIENCE)
        return page

    def close(self) -> None:
        for page in self.pages.values():
            page.context.close()


@pytest.fixture
def walk(on_postgres: dict[str, str], tmp_path: Path, browser: Browser, screenshots: Path) -> Iterator[Walk]:
    with staged(on_postgres, tmp_path) as stage:
        walk = Walk(stage, browser, screenshots)
        yield walk
        walk.close()


def test_conll_2017_in_miniature_for_three_roles(walk: Walk) -> None:
    announcement(walk)
    registration(walk)
    development(walk)
    surprise(walk)
    blind_test(walk)
    closing(walk)
    publication(walk)
    gold_fix(walk)
    late_runs(walk)


def imported(walk: Walk, address: str, content: bytes) -> Page:
    page = walk.go("organiser", address)
    values = {"name": "mini17.zip", "mimeType": "application/zip", "buffer": content}
    page.locator("[name=folder]").set_input_files(values)  # type: ignore[arg-type]
    page.locator("form[enctype] [name=reason]").fill("spring")
    page.get_by_role("button", name="Upload and check").click()
    page.get_by_role("button", name="Apply these changes").click(timeout=PATIENCE)
    expect(page.get_by_role("heading", name="What changed")).to_be_visible(timeout=PATIENCE)
    return page


def announcement(walk: Walk) -> None:
    walk.move(ANNOUNCED)
    imported(walk, "/organise/new/", folder())
    walk.picture("organiser", "folder")
    page = walk.go("organiser", ORGANISE + "announce/")
    page.locator("[name=subject]").fill("A new task")
    page.locator("[name=text]").fill("Parse from raw text.")
    page.get_by_role("button", name="Announce").click()
    page = walk.go("visitor", TASK)
    expect(page.get_by_text("Buryat")).to_have_count(0)
    walk.picture("visitor", "announcement")


def registration(walk: Walk) -> None:
    walk.move(ANNOUNCED + DAY)
    page = walk.go("alder", TASK + "team/new/")
    page.locator("[name=name]").fill("Alder")
    page.locator("[name=pseudonym]").fill("Elm")
    page.locator("[name=accepted]").check()
    page.get_by_role("button", name="Register").click()
    walk.picture("alder", "registration")
    values = {"name": "Beech", "accepted": "on", "rules_version": "1", "pseudonym": "Yew"}
    walk.stage.act("beech", TASK + "team/new/", values)
    page = walk.go("organiser", ORGANISE + "teams/")
    walk.picture("organiser", "registrations")
    for left in (1, 0):
        page.get_by_role("button", name="Confirm").first.click()
        expect(page.get_by_role("button", name="Confirm")).to_have_count(left)


def development(walk: Walk) -> None:
    walk.move(DEVELOPMENT)
    page = walk.upload({"de_dev": tree(WORDS["de_dev"], head_of_last=1)}, "dev", "scored")
    expect(page.get_by_text("66.67").first).to_be_visible()
    walk.picture("alder", "development")
    walk.stage.work()
    page = walk.go("visitor", TASK + "leaderboard/?phase=dev")
    expect(page.get_by_text("Elm").first).to_be_visible()
    expect(page.get_by_text("Alder")).to_have_count(0)
    walk.picture("visitor", "development")


def surprise(walk: Walk) -> None:
    walk.move(SURPRISE)
    page = walk.go("visitor", TASK)
    expect(page.get_by_text("Buryat").first).to_be_visible()
    walk.picture("visitor", "surprise")


def blind_test(walk: Walk) -> None:
    walk.move(TEST)
    broken = GOLD["en_ewt"].replace("\t2\tadvmod", "\t0\tadvmod")
    page = walk.upload({"de_gsd": GOLD["de_gsd"], "en_ewt": broken}, "test", "checked")
    expect(page.get_by_text("several-roots").first).to_be_visible()
    walk.picture("alder", "an-invalid-file")
    page = walk.upload(BLIND, "test", "checked")
    expect(page.get_by_text("100.00")).to_have_count(0)
    walk.stage.upload("beech", "test", **BLIND | {"de_gsd": CORRECTED})
    walk.stage.work()
    walk.go("alder", TASK + "team/")
    walk.picture("alder", "blind-test")
    walk.go("organiser", ORGANISE)
    walk.picture("organiser", "overview")
    page = walk.go("visitor", TASK + "leaderboard/?phase=test")
    expect(page.get_by_text("100.00")).to_have_count(0)


def closing(walk: Walk) -> None:
    walk.move(CLOSING - HOUR)
    page = walk.go("organiser", ORGANISE + "calendar/")
    form = page.locator("form", has=page.get_by_role("button", name="Extend", exact=True))
    form.locator("[name=phase]").select_option("test")
    form.locator("[name=closes_at]").fill(f"{EXTENDED:%Y-%m-%dT%H:%M}")
    form.locator("[name=reason]").fill("a power cut")
    form.get_by_role("button", name="Extend", exact=True).click()
    expect(page.get_by_text("The phase has been extended.")).to_be_visible()
    walk.picture("organiser", "extension")
    walk.move(EXTENDED)
    walk.go("alder", TASK + "upload/")
    walk.picture("alder", "closed")


def publish(walk: Walk, reason: str) -> Page:
    page = walk.go("organiser", TASK + "publish/")
    page.locator("[name=reason]").fill(reason)
    page.get_by_role("button", name="Publish results").click()
    expect(page).to_have_url(re.compile("leaderboard/"))
    return page


def first_place(walk: Walk) -> str:
    page = walk.go("visitor", TASK + "leaderboard/?phase=test")
    return page.locator("table.leaderboard tbody tr").first.inner_text()


def publication(walk: Walk) -> None:
    walk.move(EXTENDED + DAY)
    walk.stage.work()
    publish(walk, "all is checked")
    walk.picture("organiser", "publication")
    assert "Alder" in first_place(walk)
    walk.picture("visitor", "publication")


def gold_fix(walk: Walk) -> None:
    """The German gold was wrong and Beech right."""
    walk.move(EXTENDED + 2 * DAY)
    imported(walk, ORGANISE + "folder/", folder(de_gsd=CORRECTED))
    walk.stage.work()
    page = walk.go("organiser", ORGANISE + "gold/")
    walk.picture("organiser", "gold-fix")
    form = page.locator("form[action$='put-in-force/']")
    form.locator("[name=reason]").fill("an arc was wrong")
    form.get_by_role("button").click()
    walk.stage.work()
    assert "Alder" in first_place(walk), "until it is published, readers see what they saw"
    publish(walk, "corrected gold")
    assert "Beech" in first_place(walk)
    walk.picture("visitor", "corrected")


def late_runs(walk: Walk) -> None:
    walk.move(AFTER)
    page = walk.upload(BLIND | {"de_gsd": CORRECTED}, "post", "scored")
    expect(page.get_by_text("100.00").first).to_be_visible()
    walk.picture("alder", "late-run")
    walk.stage.work()
    assert "Beech" in first_place(walk), "the ranking of record stays as it is"
    page = walk.go("visitor", TASK + "leaderboard/?phase=post")
    expect(page.get_by_text("Alder").first).to_be_visible()
    walk.picture("visitor", "late-runs")
