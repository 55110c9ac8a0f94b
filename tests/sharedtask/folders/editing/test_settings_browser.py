"""The settings in a browser: by keyboard, on a telephone, errors and confirmations without barriers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.machinery.site import Running, manage

pytestmark = [pytest.mark.browser, pytest.mark.slow]
WCAG = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
TELEPHONE = {"width": 390, "height": 844}
WITHOUT_RUNS = """
from sharedtask.submissions.models import Run
Run.objects.update(state=Run.State.REFUSED)
"""


def look_at(page: Page, name: str, folder: Path) -> None:
    """Wide and narrow, light and dark: no barrier, and nothing wider than the screen."""
    for size, width in (("desk", 1280), ("telephone", TELEPHONE["width"])):
        page.set_viewport_size({"width": width, "height": TELEPHONE["height"]})
        widths = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert widths[0] <= widths[1], f"{name} is wider than the {size}"
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            violations = Axe().run(page, options=WCAG)
            assert violations.violations_count == 0, violations.generate_report()
            page.screenshot(path=folder / f"{name}-{scheme}-{size}.png", full_page=True)


def test_an_organiser_edits_the_task_by_keyboard(
    embedded: Mapping[str, str], server: Callable[..., Running], browser: Browser, screenshots: Path
) -> None:
    manage("load_demo", environment=embedded)
    lines = (Path(embedded["DATA_DIR"]) / "demo-accounts.txt").read_text().splitlines()
    password = dict(line.split() for line in lines)["organiser"]
    settings = f"{server(embedded).url}/tasks/demo/organise/settings/"
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(settings)
    page.get_by_label("Name or e-mail").fill("organiser")
    page.get_by_label("Password").fill(password)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    look_at(page, "settings", screenshots)

    page.get_by_role("link", name="Edit the texts").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Contact").focus()
    page.keyboard.type("nobody")
    page.keyboard.press("Tab")
    page.keyboard.type("A better address")
    page.keyboard.press("Enter")
    expect(page.locator("#contact_error")).to_have_text("Found 'nobody', expected an e-mail address.")
    expect(page.get_by_label("Contact")).to_have_value("nobody")
    look_at(page, "settings-texts-error", screenshots)
    page.get_by_label("Contact").fill("trees@example.org")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("The changes have been saved.")

    page.get_by_role("link", name="de_garten").click()
    page.get_by_label("Revealed (UTC)").fill("2126-05-01T12:00:00")
    page.get_by_label("Reason").fill("It was to be a surprise")
    page.keyboard.press("Enter")
    expect(page.locator("#revealed_at_error")).to_contain_text("The test set de_garten was already released")
    look_at(page, "settings-refused", screenshots)
    manage("shell", "-c", WITHOUT_RUNS, environment=embedded)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("people may already have seen it")).to_be_visible()
    look_at(page, "settings-confirm", screenshots)
    page.get_by_label("Yes, do this now").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("The changes have been saved.")
    expect(page.get_by_role("row", name="de_garten")).to_contain_text("1 May 2126, 12:00")
    for name in ("downloads", "groups", "release-times", "new-phase", "test-sets/sl_pogovor", "phases/open"):
        page.goto(f"{settings}{name}/")
        look_at(page, f"settings-{name.replace('/', '-')}", screenshots)

    other = context.new_page()
    for window, summary in ((other, "The quicker one."), (page, "The slower one.")):
        window.goto(f"{settings}texts/")
        window.get_by_label("Summary").fill(summary)
        window.get_by_label("Reason").fill("A better sentence")
    for window in (other, page):
        window.get_by_role("button", name="Save").click()
        expect(window.get_by_text("Summary").first).to_be_visible()
    expect(page.get_by_text("Someone else changed this while you were editing")).to_be_visible()
    expect(page.get_by_text("The quicker one.")).to_be_visible()
    expect(page.get_by_label("Summary")).to_have_value("The slower one.")
    look_at(page, "settings-conflict", screenshots)
    assert complaints == []
    context.close()
