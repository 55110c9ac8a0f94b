"""Runs in a real browser, with gunicorn, a worker and Redis: files, an amendment, the organisers' desk."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.machinery.site import ROOT, Running, manage

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PATIENCE = 45_000
LIMIT = """
from sharedtask.competition.models import Phase
Phase.objects.update(runs_per_day=5, runs_total=9)
"""


def sign_in(page: Page, url: str, name: str, password: str) -> None:
    page.goto(f"{url}/sign-in/")
    page.get_by_label(re.compile("^(Name|Username|Login)", re.IGNORECASE)).first.fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def upload(page: Page, url: str, files: list[Path], amends: str = "") -> str:
    page.goto(f"{url}/tasks/demo/upload/")
    page.get_by_label("One archive, or .conllu files").set_input_files(files)
    if amends:
        option = page.locator("option", has_text=f"Amend {amends}").get_attribute("value")
        page.get_by_label("Files not in this upload").select_option(option)
    page.get_by_role("button", name="Upload").click()
    expect(page).to_have_url(re.compile("/runs/"))
    expect(page.locator("#run-state")).to_have_attribute("data-state", "scored", timeout=PATIENCE)
    return page.url


def photograph(browser: Browser, page: Page, folder: Path, name: str) -> None:
    page.screenshot(path=folder / f"{name}.png", full_page=True)
    for kind, size, scheme in (("phone", 390, "light"), ("dark", 1280, "dark")):
        context = browser.new_context(
            viewport={"width": size, "height": 844},
            color_scheme=scheme,  # type: ignore[arg-type]
            storage_state=page.context.storage_state(),
        )
        other = context.new_page()
        other.goto(page.url)
        # Nothing may be wider than the screen: tables scroll in their own boxes.
        assert other.evaluate("document.documentElement.scrollWidth") <= size
        other.screenshot(path=folder / f"{name}-{kind}.png", full_page=True)
        context.close()


def test_files_an_amendment_and_the_organisers_desk(
    embedded: Mapping[str, str],
    server: Callable[..., Running],
    worker: Callable[..., Running],
    page: Page,
    browser: Browser,
    tmp_path: Path,
    screenshots: Path,
) -> None:
    manage("load_demo", environment=embedded)
    manage("shell", "-c", LIMIT, environment=embedded)
    lines = (Path(embedded["DATA_DIR"]) / "demo-accounts.txt").read_text().splitlines()
    accounts = dict(line.split() for line in lines)
    worker(embedded)
    url = server(embedded).url

    sign_in(page, url, "linden", accounts["linden"])
    good = sorted((ROOT / "demo" / "gold").glob("*.conllu"))[:3]
    broken = tmp_path / good[0].name
    broken.write_text(re.sub(r"\t[1-9]\d*\tdet\t", "\t0\tdet\t", good[0].read_text(), count=1))
    first = upload(page, url, [broken, *good[1:]])
    expect(page.get_by_text("How to fix it")).to_have_count(1)
    number = page.locator(".receipt dd").first.inner_text().split()[0]
    upload(page, url, [good[0]], amends=f"run {number}:")
    expect(page.get_by_text(f"inherited from run {number}")).to_have_count(2)
    photograph(browser, page, screenshots, "runs-amended")
    page.goto(f"{url}/tasks/demo/upload/")
    photograph(browser, page, screenshots, "runs-upload")

    page.context.clear_cookies()
    sign_in(page, url, "organiser", accounts["organiser"])
    page.goto(f"{url}/tasks/demo/organise/")
    expect(page.get_by_role("heading", name="Organise", exact=True)).to_be_visible()
    photograph(browser, page, screenshots, "organiser-overview")
    page.goto(f"{url}/tasks/demo/organise/runs/")
    photograph(browser, page, screenshots, "runs-list")
    page.goto(first)
    page.get_by_role("link", name="Moderate").click()
    photograph(browser, page, screenshots, "runs-moderate")
    page.get_by_label("Reason (shown to the team)").fill("The wrong model was used.")
    page.get_by_role("button", name=re.compile("^Reject run")).click()
    expect(page.get_by_text("The run was rejected.")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Restore run"))).to_be_visible()
