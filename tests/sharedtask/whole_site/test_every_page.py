"""Every page in a browser, in light and dark, on a desk and on a telephone.

There is no barrier that axe finds against WCAG 2.2, nothing is wider than the screen, the browser complains
of nothing, the policy against inline code included; and a picture of each is left for people to look at.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.conftest import MakeSite
from tests.machinery.site import manage, start_server, start_worker
from tests.sharedtask.support.every_page import BY_ROLE, EXPECTED

pytestmark = [pytest.mark.browser, pytest.mark.slow]
DESK = {"width": 1280, "height": 900}
SCREENS = {"desk": DESK, "telephone": {"width": 390, "height": 844}}
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
PATIENCE_SECONDS = 90
HOUR = 3_600_000
"""In milliseconds, as the browser counts."""
SCENE = "from pathlib import Path; from tests.sharedtask.support import scenery; "
ADMIN = "from sharedtask.accounts.models import User; "
ADMIN += "User.objects.filter(username='organiser').update(is_staff=True, is_superuser=True)"


@dataclass(frozen=True, kw_only=True)
class Prepared:
    url: str
    ids: Mapping[str, str]
    passwords: Mapping[str, str]
    environment: Mapping[str, str]


@pytest.fixture(scope="module")
def prepared(
    tmp_path_factory: pytest.TempPathFactory, redis_url: str, embedded_site: MakeSite
) -> Iterator[Prepared]:
    """The demo and a blind task with something on every page, worked off by a real worker."""
    folder = tmp_path_factory.mktemp("every-page")
    environment = embedded_site(folder / "data", REDIS_URL=redis_url, AIRLOCK="on")
    manage("load_demo", environment=environment)
    scene = f"{SCENE} scenery.set_the_scene(Path({str(folder / 'blind')!r}))"
    manage("shell", "-c", scene, environment=environment)
    worker = start_worker(environment, folder / "worker.log", "-B")
    server = start_server(environment, folder / "server.log")
    try:
        wait_until_worked_off(server.url)
        manage("shell", "-c", f"{SCENE} scenery.finish_the_scene()", environment=environment)
        result = manage("shell", "-v0", "-c", f"{SCENE} print(scenery.addresses())", environment=environment)
        lines = (folder / "data" / "demo-accounts.txt").read_text().splitlines()
        passwords = dict(line.split() for line in lines)
        ids = json.loads(result.splitlines()[-1])
        yield Prepared(url=server.url, ids=ids, passwords=passwords, environment=environment)
    finally:
        server.stop()
        worker.stop()


def wait_until_worked_off(url: str) -> None:
    """The demo is scored, compared and analysed when a sentence and a learning curve can be looked at."""
    end = time.monotonic() + PATIENCE_SECONDS
    pages = ("/tasks/demo/leaderboard/", "/tasks/demo/sets/de_garten/sentences/", "/tasks/demo/curves/")
    while not all(is_done(url + page) for page in pages):
        assert time.monotonic() < end, "the worker does not come to an end"
        time.sleep(0.5)


def is_done(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=20) as answer:
            page = answer.read()
            return not any(words in page for words in (b"being computed", b"being checked", b"No series can"))
    except urllib.error.HTTPError:
        return False


def window(browser: Browser, prepared: Prepared, who: str) -> BrowserContext:
    context = browser.new_context(viewport=DESK)  # type: ignore[arg-type]
    context.set_default_timeout(60_000)
    if who:
        page = context.new_page()
        page.goto(f"{prepared.url}/sign-in/")
        page.get_by_label("Name or e-mail").fill(who)
        page.get_by_label("Password").fill(prepared.passwords[who])
        page.get_by_role("main").get_by_role("button", name="Sign in").click()
        page.get_by_role("button", name="Sign out").wait_for()
        page.close()
    return context


def barriers(page: Page, scheme: str = "light") -> list[str]:
    """What axe finds against levels A and AA. Dark colours are all that the dark pages do not share."""
    chosen = {"type": "tag", "values": WCAG}
    if scheme == "dark":
        chosen = {"type": "rule", "values": ["color-contrast"]}
    options = {"runOnly": chosen, "resultTypes": ["violations"]}
    violations: dict[str, Any] = Axe().run(page, options=options).response
    return [
        f"{violation['id']}: {node['html'][:160]} ({node['target']})"
        for violation in violations["violations"]
        for node in violation["nodes"]
    ]


def look_at(page: Page, name: str, folder: Path) -> list[str]:
    """Photograph a page that is open, in both schemes and on both screens; what is wrong with it."""
    wrong = []
    for size, viewport in SCREENS.items():
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
        widths = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        if widths[0] > widths[1]:
            wrong.append(f"{widths[0]} pixels wide on the {size}")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.screenshot(path=folder / f"{name}-{scheme}-{size}.png", full_page=True)
            if size == "desk":
                wrong += barriers(page, scheme)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(DESK)  # type: ignore[arg-type]
    return wrong


def look_at_a_preview(prepared: Prepared, browser: Browser, folder: Path) -> list[str]:
    """A page that has no address of its own: the session says whose view the organiser previews."""
    context = window(browser, prepared, "organiser")
    page = context.new_page()
    page.goto(f"{prepared.url}/tasks/blind/preview/")
    page.get_by_label("View as").select_option(label="a member of Linden")
    page.get_by_role("button", name="Start preview").click()
    page.get_by_role("button", name="End preview").wait_for()
    result = look_at(page, "in-preview", folder)
    context.close()
    return result


@pytest.mark.parametrize("who", BY_ROLE)
def test_every_page_is_open_to_everybody_on_every_screen(
    who: str, prepared: Prepared, browser: Browser, screenshots: Path
) -> None:
    folder = screenshots / "pages"
    folder.mkdir(exist_ok=True)
    wrong: dict[str, list[str]] = {}
    context = window(browser, prepared, who)
    page, complaints = context.new_page(), []  # type: ignore[var-annotated]
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    for name, address in BY_ROLE[who].items():
        complaints.clear()
        answer = page.goto(prepared.url + address.format(**prepared.ids))
        assert answer is not None
        if answer.status != EXPECTED.get(name, 200):
            wrong[name] = [f"{answer.status} at {address}"]
            continue
        result = look_at(page, name, folder)
        # That the page itself was not found is what was to be seen.
        result += [] if name in EXPECTED else complaints
        if result:
            wrong[name] = result
    context.close()
    assert wrong == {}, json.dumps(wrong, indent=1)


def test_a_preview_is_open_to_everybody_on_every_screen(
    prepared: Prepared, browser: Browser, screenshots: Path
) -> None:
    folder = screenshots / "pages"
    folder.mkdir(exist_ok=True)
    assert look_at_a_preview(prepared, browser, folder) == []


def test_axe_finds_a_barrier_where_there_is_one(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(
        '<html lang="en"><title>x</title><img src="data:,"><p style="color: #aaa">pale</p></html>'
    )
    assert {barrier.split(":")[0] for barrier in barriers(page)} == {"image-alt", "color-contrast"}
    assert {item.split(":")[0] for item in barriers(page, "dark")} == {"color-contrast"}
    page.close()


def test_deadlines_are_counted_down_and_the_citation_is_copied(prepared: Prepared, browser: Browser) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.clock.install()
    page.goto(f"{prepared.url}/tasks/blind/")
    left = page.locator(".next-deadline .countdown")
    expect(left).to_have_text("3 days 3 hours")
    page.clock.fast_forward(5 * HOUR)
    expect(left).to_have_text("2 days 22 hours")
    page.clock.fast_forward(75 * HOUR)
    expect(left).to_have_text("now")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith("@inproceedings{arboretum2026,")
    context.close()


def test_the_admin_works_under_the_same_policy(prepared: Prepared, browser: Browser) -> None:
    manage("shell", "-c", ADMIN, environment=prepared.environment)
    context = window(browser, prepared, "organiser")
    page, complaints = context.new_page(), []  # type: ignore[var-annotated]
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.goto(f"{prepared.url}/admin/submissions/run/")
    expect(page.locator("#changelist")).to_be_visible()
    page.locator("#result_list tbody a").first.click()
    expect(page.locator("form#run_form")).to_be_visible()
    # Its pages name no icon, so that the browser asks for one in vain.
    assert [
        complaint for complaint in complaints if "favicon" not in complaint and "404" not in complaint
    ] == []
    context.close()
