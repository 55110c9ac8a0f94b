"""The organisers' pages in a browser: the reader's own time, an extension, a folder through a real worker."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.machinery.site import manage
from tests.sharedtask.support.folders import write_folder

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ACCOUNT = """
from sharedtask.accounts.models import User
from allauth.account.models import EmailAddress
user = User.objects.create_superuser("organiser", "oak@example.org", "a long password")
EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
"""


def test_an_organiser_brings_a_folder_and_extends_a_phase(
    embedded: dict[str, str],
    server: object,
    worker: object,
    browser: Browser,
    screenshots: Path,
    tmp_path: Path,
) -> None:
    environment = embedded
    manage("shell", "-c", ACCOUNT, environment=environment)
    folder = write_folder(tmp_path / "folder")
    manage("task", "import", str(folder), environment=environment)
    running = server(environment)  # type: ignore[operator]
    worker(environment)  # type: ignore[operator]
    context = browser.new_context(
        viewport={"width": 1280, "height": 1000}, timezone_id="Asia/Kolkata", locale="en-GB"
    )
    page = context.new_page()
    page.goto(f"{running.url}/tasks/full/")
    # The test phase of the folder closes at noon UTC, half past five in the evening in India.
    expect(page.get_by_text("your time: 15 May 2026").first).to_be_visible()
    expect(page.get_by_text("17:30").first).to_be_visible()
    page.screenshot(path=screenshots / "tasks-deadlines.png")
    page.goto(f"{running.url}/sign-in/?next=/tasks/full/organise/calendar/")
    page.get_by_label("Password").fill("a long password")
    page.locator("input[name=login]").fill("organiser")
    page.locator("main form button").first.click()
    page.wait_for_url("**/organise/calendar/")
    page.get_by_label("Phase", exact=True).select_option("test")
    page.get_by_label("New closing time").fill("2026-05-16T12:00:00")
    page.locator("#reason").fill("The server was away.")
    page.get_by_role("button", name="Extend").click()
    expect(page.get_by_text("The phase has been extended.")).to_be_visible()
    page.screenshot(path=screenshots / "tasks-calendar.png", full_page=True)
    page.goto(f"{running.url}/tasks/full/organise/log/")
    page.screenshot(path=screenshots / "tasks-log.png", full_page=True)
    page.goto(f"{running.url}/tasks/full/organise/gold/")
    page.screenshot(path=screenshots / "tasks-gold.png", full_page=True)
    page.goto(f"{running.url}/tasks/full/organise/folder/")
    page.screenshot(path=screenshots / "tasks-folder.png", full_page=True)
    page.get_by_label("Reason").nth(1).fill("to look at")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the folder").click(timeout=30_000)
    exported = Path(download.value.path())
    assert exported.read_bytes().startswith(b"PK")
    page.goto(f"{running.url}/tasks/full/organise/folder/")
    page.get_by_label("Task folder (zip)").set_input_files(
        {"name": "full.zip", "mimeType": "application/zip", "buffer": exported.read_bytes()}
    )
    page.get_by_label("Reason").first.fill("nothing new")
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_text("Nothing: the task already matches the folder.")).to_be_visible(timeout=30_000)
    page.screenshot(path=screenshots / "tasks-plan.png", full_page=True)
    context.close()
