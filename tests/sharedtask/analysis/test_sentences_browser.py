"""From the ranking to a wrong arc in a browser: three clicks, then keys; and without a script."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from sharedtask.competition.models import Task
from sharedtask.folders.load_task import load_task
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import SECOND, good_archive, task_folder

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
THREE = SECOND + SECOND.replace("Birds", "Owls") + SECOND.replace("Birds", "Crows")


@pytest.fixture
def task(db: None, tmp_path: Path) -> Task:
    folder = task_folder(tmp_path / "task")
    (folder / "gold" / "en_two.conllu").write_text(THREE, encoding="utf-8")
    return load_task(folder)


@pytest.fixture
def ranked(team: Team, upload: Callable[..., Run], work: Callable[[], None]) -> None:
    """Birch is wrong about two sentences, and most about the last."""
    birch = register(task=team.task, name="Birch", confirmed=True)
    wrong_head = "\t1\tadvmod".join(THREE.rsplit("\t2\tadvmod", 2))
    wrong = "\t2\tobj".join(wrong_head.rsplit("\t2\tnsubj", 1))
    upload(good_archive(en_two=THREE))
    upload(good_archive(en_two=wrong), team=birch)
    work()


def test_from_the_ranking_to_a_wrong_arc_and_on_with_the_keys(
    live_server: Any, page: Page, ranked: None, screenshots: Path
) -> None:
    page.goto(f"{live_server.url}/tasks/tiny/leaderboard/")
    page.get_by_role("main").get_by_role("link", name="Birch", exact=True).first.click()
    page.get_by_role("link", name="Sentences of en_two").first.click()
    page.get_by_role("row").nth(1).get_by_role("link").click()
    # The worst comes first, with its wrong arcs drawn.
    expect(page.get_by_role("heading", level=1)).to_contain_text("Sentence 3")
    assert page.locator("svg .system .arc.wrong-head").count() >= 1
    expect(page.get_by_role("cell", name="advmod of Crows")).to_be_visible()
    page.screenshot(path=screenshots / "sentence.png", full_page=True)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Sentence 2")
    # The script that hears the keys comes after the heading.
    page.wait_for_load_state()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Sentence 3")
    # In what scrolls, the keys scroll.
    page.wait_for_load_state()
    page.get_by_role("region", name="Trees of gold").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Sentence 3")
    with page.expect_download() as download:
        page.get_by_role("link", name="Trees as SVG").click()
    assert download.value.suggested_filename == "en_two-3.svg"


def test_wide_trees_fit_the_width_or_the_screen(live_server: Any, page: Page, ranked: None) -> None:
    page.set_viewport_size({"width": 200, "height": 800})
    page.goto(f"{live_server.url}/tasks/tiny/sets/en_two/sentences/3/")
    wider = "(box => box.scrollWidth - box.clientWidth)(document.getElementById('trees'))"
    assert page.evaluate(wider) > 1, "the trees are wider than their box"
    fit = page.get_by_role("button", name="Fit to width")
    fit.click()
    expect(fit).to_have_attribute("aria-pressed", "true")
    assert page.evaluate(wider) <= 1
    page.get_by_role("button", name="Full screen").click()
    page.wait_for_function("document.fullscreenElement && document.fullscreenElement.id === 'trees'")


def test_everything_can_be_read_without_a_script(live_server: Any, browser: Browser, ranked: None) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live_server.url}/tasks/tiny/sets/en_two/sentences/")
    page.get_by_text("Systems: all").click()
    page.get_by_label("Birch").check()
    page.get_by_label("Show").select_option("wrong")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("2 of 3 sentences")).to_be_visible()
    assert "q=" not in page.url, "what was left open is not in the address"
    page.get_by_role("link", name="Owls sing loudly").click()
    page.get_by_role("link", name="Previous").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Sentence 3")
    assert page.locator("svg .system .arc.wrong-head").count() >= 1
    context.close()
