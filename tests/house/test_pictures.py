"""The README's picture: the demo's leaderboard as the tests' own browser sees it.

`make screenshots` sets KEEP_SCREENSHOTS and so replaces the picture in docs/images; without it the test only
leaves its picture in var/screenshots, and a run of the tests changes nothing in the checkout.
"""

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import StartProcess
from tests.machinery.site import ROOT, manage

TEAMS = 5


@pytest.mark.browser
def test_demo_leaderboard_is_worth_a_picture(
    embedded: dict[str, str], server: StartProcess, worker: StartProcess, page: Page, screenshots: Path
) -> None:
    manage("load_demo", environment=embedded)
    worker(embedded)
    site = server(embedded)
    page.set_viewport_size({"width": 1200, "height": 760})
    rows = page.locator("table.leaderboard tbody tr")
    for _ in range(30):
        page.goto(f"{site.url}/tasks/demo/leaderboard/")
        if rows.count() == TEAMS:
            break
        page.wait_for_timeout(1000)
    expect(rows).to_have_count(TEAMS)
    expect(rows.first).to_contain_text("Linden")
    picture = screenshots / "readme-leaderboard.png"
    page.screenshot(path=picture)
    assert picture.stat().st_size > 20_000
    if os.environ.get("KEEP_SCREENSHOTS"):
        kept = ROOT / "docs" / "images" / "leaderboard.png"
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, kept)
