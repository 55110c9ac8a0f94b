"""The matrix in a browser: tones that can be read, heads that stay, a form that answers at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from sharedtask.competition.models import Phase
from tests.sharedtask.support.standing import compare, scored

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("as_worker"),
]

# What the browser makes of a colour is read off a canvas, whatever colour space it was written in.
CONTRASTS = """
() => {
  const context = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const light = colour => {
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map(
      part => part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = {};
  for (const kind of ['heat', 'heat diverging']) {
    const list = document.createElement('ul');
    list.className = kind;
    document.querySelector('#matrix').append(list);
    for (let tone = 0; tone <= 20; tone++) {
      const item = document.createElement('li');
      item.className = `h${tone}`;
      list.append(item);
      const style = getComputedStyle(item);
      const [a, b] = [light(style.color), light(style.backgroundColor)].sort((x, y) => y - x);
      found[`${kind} ${tone}`] = [(a + 0.05) / (b + 0.05), style.backgroundColor];
    }
    list.remove();
  }
  return found;
}
"""


@pytest.fixture
def fields(phase: Phase) -> None:
    for name, las in (("Ash", 0.9), ("Birch", 0.6), ("Cedar", 0.3)):
        scored(phase, name, las)
    scored(phase, "Base", 0.5, baseline=True)
    compare(phase)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_upon_every_tone(
    live_server: Any, browser: Browser, fields: None, scheme: Any, screenshots: Path
) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(f"{live_server.url}/tasks/tiny/matrix/")
    result = page.evaluate(CONTRASTS)
    assert len(result) == 42
    assert {tone: ratio for tone, (ratio, _) in result.items() if ratio < 4.5} == {}
    # Twenty-one tones that can be told apart, and no zero that looks like something.
    assert len({colour for tone, (_, colour) in result.items() if "diverging" not in tone}) == 21
    page.screenshot(path=screenshots / f"matrix-{scheme}.png", full_page=True)
    page.goto(f"{live_server.url}/tasks/tiny/sets/de_one/")
    page.screenshot(path=screenshots / f"test-set-{scheme}.png", full_page=True)
    context.close()


def test_a_choice_changes_the_cells_and_the_address_at_once(
    live_server: Any, page: Page, fields: None
) -> None:
    page.goto(f"{live_server.url}/tasks/tiny/matrix/")
    ash = page.get_by_role("row", name="Ash")
    expect(ash).to_contain_text("90.00")
    page.get_by_label("Cells show").select_option("rank")
    expect(ash).not_to_contain_text("90.00")
    expect(page).to_have_url(f"{live_server.url}/tasks/tiny/matrix/?show=rank")
    page.get_by_label("Metric").select_option("UPOS")
    expect(page).to_have_url(f"{live_server.url}/tasks/tiny/matrix/?metric=UPOS&show=rank")
    page.go_back()
    expect(page.get_by_label("Metric")).to_have_value("")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as CSV").click()
    assert Path(download.value.path()).read_text().startswith("Rank,System,Mean")


def test_on_a_phone_only_the_table_scrolls_and_its_heads_stay(
    live_server: Any, browser: Browser, fields: None
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 500})
    page = context.new_page()
    for address in ("matrix/", "sets/", "sets/de_one/"):
        page.goto(f"{live_server.url}/tasks/tiny/{address}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, address
    page.goto(f"{live_server.url}/tasks/tiny/matrix/")
    # So low that it has to scroll both ways with so little in it.
    page.locator(".heat-scroll").evaluate("box => { box.style.maxHeight = '170px'; box.scrollTo(80, 60); }")
    box = page.locator(".heat-scroll").bounding_box()
    head = page.locator(".codes-row .code").first.bounding_box()
    name = page.get_by_role("rowheader", name="Cedar").bounding_box()
    assert box is not None
    assert head is not None
    assert name is not None
    assert box["y"] <= head["y"] < box["y"] + 60
    assert box["x"] <= name["x"] < box["x"] + 60
    context.close()
