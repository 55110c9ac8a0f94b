"""The whole path with nothing pretended: gunicorn, a Celery worker, Redis and a browser."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.machinery.site import ROOT, Running, manage
from tests.sharedtask.support.building import zip_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PATIENCE = 30_000


@pytest.fixture
def accounts(embedded: Mapping[str, str]) -> dict[str, str]:
    manage("load_demo", environment=embedded)
    lines = (Path(embedded["DATA_DIR"]) / "demo-accounts.txt").read_text().splitlines()
    return dict(line.split() for line in lines)


def archive(folder: Path) -> Path:
    """Gold itself, but for one file with a second root and one that is left out."""
    files: dict[str, str | bytes] = {}
    for path in sorted((ROOT / "demo" / "gold").glob("*.conllu")):
        files[f"outputs/{path.name}"] = path.read_text(encoding="utf-8")
    del files["outputs/vi_cho.conllu"]
    english = str(files["outputs/en_par.conllu"])
    files["outputs/en_par.conllu"] = english.replace("\t2\tdet\t", "\t0\tdet\t", 1)
    result = folder / "outputs.zip"
    result.write_bytes(zip_of(files))
    return result


def sign_in(page: Page, url: str, name: str, password: str) -> None:
    page.goto(f"{url}/sign-in/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page.get_by_text(name, exact=True)).to_be_visible()


def test_an_upload_goes_all_the_way_to_the_leaderboard(
    embedded: Mapping[str, str],
    accounts: dict[str, str],
    server: Callable[..., Running],
    worker: Callable[..., Running],
    page: Page,
    tmp_path: Path,
    screenshots: Path,
) -> None:
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    url = server(embedded).url
    sign_in(page, url, "linden", accounts["linden"])

    page.goto(f"{url}/")
    expect(page.get_by_text("5 runs being checked and scored")).to_be_visible()
    page.get_by_role("link", name="Upload a run").click()
    upload = archive(tmp_path)
    page.get_by_label("Archive").set_input_files(upload)
    page.screenshot(path=screenshots / "path-1-upload.png")
    page.get_by_role("button", name="Upload", exact=True).click()

    # No worker is running yet, so that the receipt can be read before anything happens.
    receipt = page.locator(".receipt")
    expect(receipt).to_contain_text("UTC")
    expect(receipt).to_contain_text(hashlib.sha256(upload.read_bytes()).hexdigest())
    live = page.get_by_role("status")
    expect(live).to_contain_text("Received")
    page.screenshot(path=screenshots / "path-2-receipt.png")
    run_url = page.url
    assert re.search(r"/runs/[a-z0-9]{16}/$", run_url)
    page.evaluate("window.notReloaded = true")

    worker(embedded)
    expect(live).to_contain_text("Scored: 6 of 8 files", timeout=PATIENCE)
    assert page.evaluate("window.notReloaded"), "the state changed without the page being loaded again"
    files = page.get_by_role("region", name="Files of this run")
    expect(files.get_by_role("row", name="de_garten")).to_contain_text("scored")
    expect(files.get_by_role("row", name="de_garten")).to_contain_text("100.00")
    expect(files.get_by_role("row", name="vi_cho")).to_contain_text("missing")
    expect(files.get_by_role("row", name="en_par")).to_contain_text("invalid")
    incidents = page.get_by_role("region", name="Incidents in en_par")
    expect(incidents).to_contain_text("several-roots")
    expect(page.locator(".figures")).to_contain_text("75.00")
    page.screenshot(path=screenshots / "path-3-scored.png", full_page=True)

    polls: list[str] = []
    page.on("request", lambda request: polls.append(request.url) if "/state/" in request.url else None)
    page.wait_for_timeout(2500)
    assert polls == [], "a final state is not asked for again"

    page.goto(f"{url}/tasks/demo/leaderboard/")
    row = page.get_by_role("row", name="Linden")
    expect(row).to_contain_text("75.00", timeout=PATIENCE)
    expect(row).to_contain_text("2 files counted as 0")
    expect(page.locator(".signature")).to_contain_text("profile:conll17")
    expect(page.locator("tbody tr")).to_have_count(5)
    row.get_by_role("link").click()
    expect(page).to_have_url(re.compile("/tasks/demo/systems/"))
    page.get_by_role("link", name="Run 2", exact=True).click()
    expect(page).to_have_url(run_url)
    assert complaints == []


def test_a_bad_archive_is_explained_in_the_browser(
    embedded: Mapping[str, str],
    accounts: dict[str, str],
    server: Callable[..., Running],
    worker: Callable[..., Running],
    page: Page,
    tmp_path: Path,
    screenshots: Path,
) -> None:
    url = server(embedded).url
    worker(embedded)
    sign_in(page, url, "rowan", accounts["rowan"])
    bad = tmp_path / "outputs.zip"
    bad.write_bytes(zip_of({"xx_unknown.conllu": "nothing"}))
    page.goto(f"{url}/tasks/demo/upload/")
    page.get_by_label("Archive").set_input_files(bad)
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Refused", timeout=PATIENCE)
    expect(page.locator(".notice.bad")).to_contain_text("unknown-test-set")
    expect(page.locator(".notice.bad")).to_contain_text("xx_unknown.conllu")
    page.screenshot(path=screenshots / "path-4-refused.png", full_page=True)
