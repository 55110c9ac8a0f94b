"""A task with three main metrics in a browser: wide and narrow, light and dark."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Browser, expect

from evaluation import PROFILES
from sharedtask.accounts.models import User
from sharedtask.competition.models import GoldVersion
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Membership
from tests.sharedtask.support import three_metrics
from tests.sharedtask.support.people import person
from tests.sharedtask.support.three_metrics import MAIN

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("as_worker"),
]


@pytest.fixture
def runs(db: None, tmp_path: Path) -> dict[str, Run]:
    runs = three_metrics.stand(three_metrics.load(tmp_path / "task").phases.get())
    run = runs["Ash"]
    Membership.objects.create(team=run.team, task=run.task, user=person("ash"))
    return runs


def addresses(runs: dict[str, Run]) -> dict[str, str]:
    ash, birch = runs["Ash"], runs["Birch"]
    task = "/tasks/three/"
    return {
        "home": "/",
        "task": task,
        "run": ash.get_absolute_url(),
        "team": f"{task}team/",
        "board": f"{task}leaderboard/",
        "board-by-blex": f"{task}leaderboard/?metric=BLEX",
        "test-sets": f"{task}sets/",
        "test-set": f"{task}sets/en_two/?metric=MLAS",
        "system": f"{task}systems/{ash.system.public_id}/",
        "compare": f"{task}compare/?with={ash.public_id}&with={birch.public_id}",
        "compare-three": f"{task}compare/?" + "&".join(f"with={run.public_id}" for run in runs.values()),
        "matrix": f"{task}matrix/?metric=MLAS",
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_every_page_shows_the_three_metrics(
    live_server: Any,
    browser: Browser,
    client: Any,
    screenshots: Path,
    runs: dict[str, Run],
    width: int,
    scheme: Any,
) -> None:
    client.force_login(User.objects.get(username="ash"))
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    session = client.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page = context.new_page()
    for name, address in addresses(runs).items():
        page.goto(live_server.url + address)
        words = re.findall(r"\w+", page.locator("main").inner_text())
        assert set(MAIN) <= set(words), f"{name} does not show {set(MAIN) - set(words)}"
        overflow = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert overflow <= 0, f"{name} is wider than the window"
        violations = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]})
        assert violations.violations_count == 0, violations.generate_report()
        page.screenshot(path=screenshots / f"three-{name}-{width}-{scheme}.png", full_page=True)
    context.close()


def test_a_reader_goes_from_one_ranking_to_the_next(
    live_server: Any, browser: Browser, runs: dict[str, Run]
) -> None:
    page = browser.new_context().new_page()
    page.goto(f"{live_server.url}/tasks/three/leaderboard/")
    rankings = page.get_by_role("navigation", name="Ranked by")
    for metric, first in (("BLEX", "Cedar"), ("MLAS", "Birch"), ("LAS", "Ash")):
        rankings.get_by_role("link", name=metric, exact=True).click()
        expect(page.locator("thead th.main")).to_have_text(metric)
        expect(page.locator("tbody th.team a").first).to_have_text(first)
        expect(rankings.locator("[aria-current]")).to_have_text(metric)
    page.context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_breakdowns_by_a_main_metric_fit_the_window(
    live_server: Any, browser: Browser, runs: dict[str, Run], screenshots: Path, width: int, scheme: Any
) -> None:
    three_metrics.break_down(runs)
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{live_server.url}{addresses(runs)['system']}?metric=BLEX#errors")
    expect(page.locator("#errors")).to_contain_text("content words with the correct head, relation and lemma")
    expect(page.locator(".division.relation thead")).to_contain_text("Most BLEX errors in")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#errors").screenshot(path=screenshots / f"errors-by-blex-{width}-{scheme}.png")
    context.close()


CUT_OFF = """[...document.querySelectorAll('main .scroll, main .box, main .set-scroll')]
    .filter(box => box.scrollWidth > box.clientWidth + 1 || box.getBoundingClientRect().right > innerWidth)
    .map(box => `${box.className}: ${box.scrollWidth} in ${box.clientWidth}`)"""


def test_no_table_is_cut_off_at_1440_pixels(
    live_server: Any, browser: Browser, runs: dict[str, Run], screenshots: Path
) -> None:
    GoldVersion.objects.update(released_at=timezone.now())
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    for name, address in addresses(runs).items():
        if name not in ("run", "team"):
            page.goto(live_server.url + address)
            assert page.evaluate(CUT_OFF) == [], name
            assert page.evaluate("document.documentElement.scrollWidth") <= 1440, name
    page.goto(live_server.url + addresses(runs)["test-set"])
    headings = page.locator(".set-ranking thead th.figure").all_inner_texts()
    assert sorted(headings) == sorted(PROFILES["conll18"].metrics), "each metric has one column"
    page.screenshot(path=screenshots / "test-set-conll18-1440.png", full_page=True)
    context.close()
