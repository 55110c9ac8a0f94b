"""Tables in a browser: in a large window, on a phone and on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.machinery.site import manage
from tests.sharedtask.support.people import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SCENE = """
from pathlib import Path
from sharedtask.folders.load_task import load_task
from tests.sharedtask.support.building import task_folder
from tests.sharedtask.support.people import person
from tests.sharedtask.support.standing import compare, scored
task = load_task(task_folder(Path("{folder}")))
task.replicates = 10
task.title = "A task with a title that is much too long for a navigation bar with all of its pages"
task.organisers.add(person("organiser"))
task.save()
phase = task.phases.get()
for number in range(33):
    scored(phase, "Team %02d" % number, 0.9 - number / 100)
compare(phase)
person("reader")
"""


def wider_than_window(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def cut_off(page: Page, selector: str) -> list[int]:
    """By how much the content of a box is wider and higher than the box."""
    box = "(box => [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight])"
    return list(page.evaluate(f"{box}(document.querySelector('{selector}'))"))


def test_tables_fit_a_large_window_a_phone_and_paper(
    embedded: dict[str, str], server: Any, browser: Browser, screenshots: Path, tmp_path: Path
) -> None:
    private_key = str(Path(embedded["DATA_DIR"]) / "keys" / "gold.private")
    as_worker = embedded | {"GOLD_PRIVATE_KEY_FILE": private_key}
    manage("shell", "-c", SCENE.format(folder=tmp_path / "task"), environment=as_worker)
    url = server(embedded).url
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()

    page.goto(f"{url}/tasks/tiny/leaderboard/")
    assert max(cut_off(page, ".scroll.tall")) <= 1, "the page scrolls, not the table"
    assert wider_than_window(page) <= 0
    page.locator("tbody tr").last.scroll_into_view_if_needed()
    head = page.locator("thead th.team").bounding_box()
    assert head is not None and abs(head["y"]) < 3, "the head stays at the top of the window"
    page.screenshot(path=screenshots / "leaderboard-33.png")

    page.goto(f"{url}/tasks/tiny/sets/en_two/")
    assert max(cut_off(page, ".set-scroll")) <= 1, "no column is cut off"
    assert wider_than_window(page) <= 0
    page.screenshot(path=screenshots / "test-set-1440.png", full_page=True)

    page.goto(f"{url}/tasks/tiny/matrix/")
    assert max(cut_off(page, ".heat-scroll")) <= 1, "the page scrolls, not the table"
    page.locator("tbody tr").last.scroll_into_view_if_needed()
    head = page.locator("thead th.system").bounding_box()
    assert head is not None and head["y"] < 40, "the head stays at the top of the window"
    page.screenshot(path=screenshots / "matrix-33.png")
    page.emulate_media(media="print")
    best = page.locator("td.best").first
    expect(best).to_have_css("outline-style", "solid")
    expect(best).to_have_css("print-color-adjust", "exact")
    page.emulate_media(media="screen")

    page.goto(f"{url}/sign-in/?next=/tasks/tiny/publish/")
    page.get_by_label("Name or e-mail").fill("organiser")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{url}/tasks/tiny/publish/")
    first, second = ".task-nav:not(.second) ul", ".task-nav.second ul"
    for bar in (first, second):
        assert max(cut_off(page, bar)) <= 1, "no page of a task is cut off"
    tops = {entry.bounding_box()["y"] for entry in page.locator(f"{first} > li").all()}  # type: ignore[index]
    assert len(tops) == 1, "the title of the task gives way to its pages"
    page.screenshot(path=screenshots / "organisers-navigation-1440.png")
    page.set_viewport_size({"width": 1280, "height": 800})
    tops = {entry.bounding_box()["y"] for entry in page.locator(f"{second} > li").all()}  # type: ignore[index]
    assert len(tops) == 1, "the entries for organisers are in one row"

    phone = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
    phone.goto(f"{url}/sign-in/?next=/account/notices/")
    phone.get_by_label("Name or e-mail").fill("reader")
    phone.get_by_label("Password").fill(PASSWORD)
    phone.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(phone).to_have_url(f"{url}/account/notices/")
    for choice in phone.locator(".notice-settings tbody :is(th, label)").all():
        box = choice.bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert wider_than_window(phone) <= 0
    assert cut_off(phone, ".scroll")[0] <= 1, "no event is cut off"
    phone.screenshot(path=screenshots / "notice-settings-390.png", full_page=True)
