"""The README's pictures: pages of the demo as the tests' own browser sees them.

`make screenshots` sets KEEP_SCREENSHOTS and so replaces the pictures in docs/images; without it the test only
leaves them in var/screenshots, and a run of the tests changes nothing in the checkout.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.conftest import StartProcess
from tests.machinery.site import ROOT, manage

TEAMS = 5
SENTENCE = "/tasks/demo/sets/de_garten/sentences/3/"


@pytest.mark.browser
def test_the_demo_is_worth_some_pictures(
    embedded: dict[str, str], server: StartProcess, worker: StartProcess, page: Page, screenshots: Path
) -> None:
    manage("load_demo", environment=embedded)
    worker(embedded)
    site = server(embedded)
    page.set_viewport_size({"width": 1200, "height": 760})

    rows = page.locator("table.leaderboard tbody tr")
    come_back_until(page, f"{site.url}/tasks/demo/leaderboard/", rows, TEAMS)
    expect(rows.first).to_contain_text("Linden")
    keep(page, screenshots, "leaderboard")

    page.goto(f"{site.url}/tasks/demo/matrix/")
    expect(page.get_by_role("rowheader", name="Linden")).to_be_visible()
    keep(page, screenshots, "matrix")

    # Sentences can be read when a worker has analysed the outputs.
    systems = page.get_by_role("link", name="Juniper")
    come_back_until(page, site.url + SENTENCE, systems, 1)
    systems.click()
    expect(page.locator("svg").first).to_be_visible()
    page.set_viewport_size({"width": 1200, "height": 860})
    keep(page, screenshots, "sentence")


def come_back_until(page: Page, address: str, found: Locator, number: int) -> None:
    for _ in range(60):
        page.goto(address)
        if found.count() == number:
            break
        page.wait_for_timeout(1000)
    expect(found).to_have_count(number)


def keep(page: Page, screenshots: Path, name: str) -> None:
    picture = screenshots / f"readme-{name}.png"
    page.screenshot(path=picture)
    assert picture.stat().st_size > 20_000
    if os.environ.get("KEEP_SCREENSHOTS"):
        remaining = ROOT / "docs" / "images" / f"{name}.png"
        remaining.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, remaining)
