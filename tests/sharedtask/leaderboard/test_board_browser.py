"""The leaderboard in a browser: another metric without a reload, back again, and ticked systems compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.machinery.site import manage

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SCENE = """
from pathlib import Path
from sharedtask.folders.load_task import load_task
from tests.sharedtask.support import boards
from tests.sharedtask.support.building import task_folder
task = load_task(task_folder(Path("{folder}")))
boards.stand(task.phases.get(), ["Team %02d" % number for number in range(1, 31)], 20)
"""


def test_a_reader_goes_through_the_leaderboard(
    embedded: dict[str, str], server: Any, browser: Browser, screenshots: Path, tmp_path: Path
) -> None:
    manage("shell", "-c", SCENE.format(folder=tmp_path / "task"), environment=embedded)
    address = f"{server(embedded).url}/tasks/tiny/leaderboard/"
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    first = page.locator("tbody th.team a").first
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(address)
    page.evaluate("window.stayed = true")
    page.get_by_label("Metric").select_option("UAS")
    expect(page).to_have_url(f"{address}?metric=UAS")
    expect(page.locator("thead th.main")).to_have_text("UAS")
    page.get_by_label("Compare Team 03", exact=True).check()
    page.get_by_label("Compare Team 30", exact=True).check()
    page.get_by_role("link", name="Team", exact=True).click()
    # The address changes before the table does.
    expect(page.locator("thead th[aria-sort]")).to_have_text("Team")
    page.get_by_role("link", name="Team", exact=True).click()
    expect(first).to_have_text("Team 30")
    page.wait_for_url("**sort=-team**")
    expect(page.get_by_label("Compare Team 03", exact=True)).to_be_checked()
    assert page.evaluate("window.stayed"), "nothing of this loaded the page anew"
    # Back twice at once: what is shown in the end is what the address says, not what was answered last.
    page.evaluate("history.back(); history.back()")
    expect(page.locator("thead th[aria-sort]")).to_have_text("Rank")
    expect(first).to_have_text("Team 01")
    page.get_by_label("Team or system").fill("team 1")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("tbody tr")).to_have_count(10)
    expect(page).to_have_url(f"{address}?metric=UAS&q=team+1")
    page.goto(f"{address}?sort=-Words")
    cut_off = "(box => box.scrollHeight - box.clientHeight)(document.querySelector('.scroll.tall'))"
    assert page.evaluate(cut_off) > 100, "it scrolls on the screen"
    page.emulate_media(media="print")
    assert page.evaluate(cut_off) <= 1, "and is whole on paper"
    page.emulate_media(media="screen")
    # The head stays in sight above the last row, and the names beside the last column.
    page.locator("tbody tr").last.scroll_into_view_if_needed()
    box = page.locator(".scroll.tall").bounding_box()
    head = page.locator("thead th.team").bounding_box()
    assert box is not None and head is not None and abs(head["y"] - box["y"]) < 3
    violations = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]})
    assert violations.violations_count == 0, violations.generate_report()
    page.screenshot(path=screenshots / "leaderboard-30.png", full_page=True)
    page.get_by_label("Compare Team 03", exact=True).check()
    page.get_by_label("Compare Team 30", exact=True).check()
    page.get_by_role("button", name="Compare selected systems").click()
    page.wait_for_url("**/compare/?**")
    assert page.url.count("with=") == 2
    assert complaints == []
