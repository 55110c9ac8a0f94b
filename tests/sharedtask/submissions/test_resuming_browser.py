"""An upload in the browser survives a lost connection and a reloaded page, and says what it is doing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import StartProcess
from tests.machinery.cutting import CuttingProxy, cutting
from tests.sharedtask.support import live_uploads
from tests.sharedtask.support.live_uploads import LiveSite, random_file

pytestmark = [pytest.mark.browser, pytest.mark.slow]
MEBIBYTE = 1024 * 1024
SIZE = 24 * MEBIBYTE
CUT = 18 * MEBIBYTE
"""Inside the second request: the browser sends 16 MiB at a time."""
PATIENCE = 120_000
"""In milliseconds; a busy machine takes its time to pass so many bytes on."""
PAGE = "/tasks/tiny/upload/"


@pytest.fixture
def site(embedded: Mapping[str, str], tmp_path: Path) -> LiveSite:
    return live_uploads.prepare(embedded, tmp_path / "task")


@pytest.fixture
def proxy(site: LiveSite, server: StartProcess) -> Iterator[CuttingProxy]:
    """In front of the site, so that connections can be cut: the first one in the middle of the file."""
    with cutting(server(site.environment).url, [CUT]) as proxy:
        yield proxy


@pytest.fixture
def signed_in(page: Page, site: LiveSite, proxy: CuttingProxy) -> Page:
    cookie: Any = {"name": "sessionid", "value": site.sessions["alder"], "url": proxy.url}
    page.context.add_cookies([cookie])
    page.set_default_timeout(PATIENCE)
    page.goto(proxy.url + PAGE)
    return page


def choose(page: Page, file: Path) -> None:
    page.get_by_label("One archive").set_input_files(file)


def press_upload(page: Page) -> None:
    page.get_by_role("button", name="Upload", exact=True).click()


def refuse_requests(page: Page, method: str) -> None:
    """As if the network were away: requests by this method fail at once."""
    pattern = re.compile(r"/uploads/\w+/")
    page.route(pattern, lambda route: route.abort() if route.request.method == method else route.fallback())


def test_an_upload_continues_after_a_cut_and_after_the_page_was_reloaded(
    signed_in: Page, site: LiveSite, proxy: CuttingProxy, tmp_path: Path, screenshots: Path
) -> None:
    page, file = signed_in, tmp_path / "run.zip"
    sha256 = random_file(file, SIZE)
    choose(page, file)
    # After the cut, the offset cannot be asked for: the connection is not back yet.
    refuse_requests(page, "HEAD")
    press_upload(page)
    status = page.get_by_role("status")
    expect(status).to_contain_text(re.compile(r"The connection was lost at \d+%"), timeout=PATIENCE)
    expect(status).to_contain_text("The upload will continue automatically.", timeout=PATIENCE)
    take_pictures(page, screenshots)

    page.reload()
    expect(page.locator("#upload-progress")).to_be_hidden(timeout=PATIENCE)
    choose(page, file)
    expect(page.locator("#upload-check")).to_contain_text("already been received", timeout=PATIENCE)
    page.unroute_all()
    press_upload(page)
    expect(page).to_have_url(re.compile(r"/runs/\w{16}/$"), timeout=PATIENCE)
    expect(page.locator(".receipt")).to_contain_text(sha256, timeout=PATIENCE)
    assert [run.sha256 for run in site.runs()] == [sha256]
    assert proxy.cuts == 1
    assert proxy.sent_bytes < SIZE + CUT // 2, "what had arrived before the cut was not sent again"
    page.goto(proxy.url + PAGE)
    assert page.evaluate("localStorage.length") == 0


def take_pictures(page: Page, folder: Path) -> None:
    for scheme in ("light", "dark"):
        for width in (1280, 390):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.set_viewport_size({"width": width, "height": 900})
            page.locator("#upload-progress").scroll_into_view_if_needed()
            page.screenshot(path=folder / f"upload-interrupted-{scheme}-{width}.png")


def test_an_upload_pauses_while_the_computer_is_offline(
    signed_in: Page, site: LiveSite, proxy: CuttingProxy, tmp_path: Path
) -> None:
    page, file = signed_in, tmp_path / "run.zip"
    sha256 = random_file(file, MEBIBYTE, seed=1)
    choose(page, file)
    refuse_requests(page, "PATCH")
    press_upload(page)
    status = page.get_by_role("status")
    expect(status).to_contain_text("The connection was lost at 0%", timeout=PATIENCE)
    page.context.set_offline(True)
    expect(status).to_contain_text("You are offline at 0%", timeout=PATIENCE)
    page.unroute_all()
    page.context.set_offline(False)
    expect(page.locator(".receipt")).to_contain_text(sha256, timeout=PATIENCE)
    assert len(site.runs()) == 1


def test_a_cancelled_or_refused_upload_leaves_the_form_usable(
    signed_in: Page, site: LiveSite, proxy: CuttingProxy, tmp_path: Path
) -> None:
    page, file = signed_in, tmp_path / "run.zip"
    random_file(file, MEBIBYTE, seed=2)
    choose(page, file)
    refuse_requests(page, "PATCH")
    press_upload(page)
    expect(page.get_by_role("status")).to_contain_text("The connection was lost", timeout=PATIENCE)
    with page.expect_response(lambda response: response.request.method == "DELETE", timeout=PATIENCE):
        page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#upload-progress")).to_be_hidden(timeout=PATIENCE)
    assert page.evaluate("localStorage.length") == 0
    listing = page.request.get(f"{proxy.url}/uploads/").json()
    assert listing == {"uploads": []}
    page.unroute_all()
    page.evaluate("document.querySelector('[data-upload]').dataset.task = 'no-such-task'")
    press_upload(page)
    expect(page.get_by_role("alert")).to_contain_text(
        "No run was created. There is no such task", timeout=PATIENCE
    )
    expect(page.get_by_role("alert")).to_contain_text("upload-without-task", timeout=PATIENCE)
    expect(page.get_by_role("button", name="Upload", exact=True)).to_be_enabled(timeout=PATIENCE)
    assert site.runs() == []
