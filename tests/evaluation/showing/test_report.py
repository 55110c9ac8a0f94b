"""`python -m evaluation report`: one self-contained page, safe and of bounded size for any files."""

import argparse
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import evaluation
from evaluation.cli import report as command
from evaluation.showing.report import MAX_SENTENCES, report
from tests.evaluation.small_files import comparison, conllu, star

DEMO = Path(__file__).parents[3] / "demo" / "gold"
_VOID = {"meta", "br", "link", "img", "input", "hr"}


class _Page(HTMLParser):
    """Checks that what is opened is closed, and collects attributes, ids and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend((name, value or "") for name, value in attrs)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend((name, value or "") for name, value in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.attributes if key == name]


def _disturbed(gold: bytes) -> bytes:
    """Some words hang on the root of their sentence, some have another relation, some another tag."""
    blocks = []
    for block in gold.decode().split("\n\n"):
        lines = [line.split("\t") for line in block.split("\n")]
        words = [line for line in lines if len(line) == 10 and line[0].isdigit()]
        root = next((line[0] for line in words if line[6] == "0"), "0")
        for number, line in enumerate(words):
            if line[6] != "0":
                line[6] = root if number % 4 == 0 else line[6]
                line[7] = "dep" if number % 3 == 0 else line[7]
            line[3] = "X" if number % 5 == 0 else line[3]
        blocks.append("\n".join("\t".join(line) for line in lines))
    return "\n\n".join(blocks).encode()


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    values = {}
    for name in ("ar_suq", "ja_eki", "de_garten"):
        gold = (DEMO / f"{name}.conllu").read_bytes()
        values[name] = report(evaluation.compare(gold, _disturbed(gold)))
    return values


def test_the_page_needs_nothing_from_elsewhere(pages: dict[str, str]) -> None:
    for html in pages.values():
        page = _Page(html)
        assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
        assert not page.values("src") and not page.values("style")
        assert all(target.startswith("#") for target in page.values("href"))
        assert "@import" not in html and "url(" not in html and "http" not in html


def test_links_and_labels_lead_to_unique_ids(pages: dict[str, str]) -> None:
    page = _Page(pages["ar_suq"])
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    named = [name for value in page.values("aria-labelledby") for name in value.split()]
    assert named and {*named, *(target[1:] for target in page.values("href"))} <= set(ids)


def test_scores_signature_and_every_section_are_there() -> None:
    compared = comparison("1 a X 0 root\n2 b X 1 obj", "1 a X 0 root\n2 b X 1 obl", "conll17")
    html = report(compared)
    score = evaluation.score(compared.gold, compared.system, "conll17")
    assert score.signature in html
    row = re.search(
        r"<tr class=\"main\"><th scope=\"row\"><bdi>LAS</bdi></th><td class=\"strong\">([\d.]+)<", html
    )
    assert row and row[1] == "50.00"
    for name in ("relation", "upos", "length", "direction", "sentence_length", "confusion", "sentences"):
        assert f'<section id="{name}">' in html
    assert "<b>obj</b> labelled as <b>obl</b> <span>1 time<" in html
    assert html.count("<article>") == 1


def test_a_perfect_system_gets_a_page_too() -> None:
    html = report(comparison("1 a X 0 root", "1 a X 0 root"))
    assert "<article>" not in html and "All aligned words" in html
    _Page(html)


def test_markup_in_names_forms_tags_and_comments_stays_text() -> None:
    evil = "<img/src=x>&\"'"
    source = f"# sent_id = {evil}\n# text = {evil}\n1 {evil} {evil} 0 root\n2 b X 1 {evil}"
    gold = evaluation.read(conllu(source), name=f"{evil}.conllu")
    system = evaluation.read(
        conllu(source.replace(f"1 {evil}\n", "").replace(f"X 1 {evil}", "Y 1 <b>")), name=evil
    )
    html = report(evaluation.compare(gold, system))
    page = _Page(html)
    assert "img" not in page.tags
    assert "&lt;img/src=x&gt;" in html


def test_the_page_stays_small_whatever_the_files_hold() -> None:
    invented = "\n".join(["1 w X 0 root", *(f"{n} w T{n} {n - 1} r{n}" for n in range(2, 3001))])
    many = "\n\n".join([star(20, relation="obj")] * 300)
    gold = f"{invented}\n\n{many}"
    plain = "\n".join(["1 w X 0 root", *(f"{n} w X 1 dep" for n in range(2, 3001))])
    system = f"{plain}\n\n{many.replace(' obj', ' obl')}"
    html = report(comparison(gold, system), sentences=10_000)
    assert html.count("<article>") == MAX_SENTENCES
    assert "use python -m evaluation diff" in html
    assert len(html) < 4_000_000


def test_the_command_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, system, page = tmp_path / "g.conllu", tmp_path / "s.conllu", tmp_path / "page.html"
    gold.write_bytes(conllu("1 a X 0 root\n2 b X 1 obj"))
    system.write_bytes(conllu("1 a X 0 root\n2 b X 1 obl"))
    assert _run(str(gold), str(system), "-o", str(page), "--sentences", "0") == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "<article>" not in page.read_text(encoding="utf-8")
    assert _run(str(gold), str(system), "-o", str(tmp_path / "no" / "page.html")) == 2
    assert "cannot be written" in capsys.readouterr().err
    system.write_bytes(b"")
    assert _run(str(gold), str(system), "-o", str(page)) == 1


def test_the_metric_decides_what_an_error_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, system, page = tmp_path / "g.conllu", tmp_path / "s.conllu", tmp_path / "page.html"
    gold.write_bytes(conllu("1 a X 0 root\n2 b X 1 obj"))
    system.write_bytes(conllu("1 a X 0 root\n2 b Y 1 obj"))
    files = (str(gold), str(system), "-o", str(page))
    assert _run(*files) == 0
    html = page.read_text(encoding="utf-8")
    assert "by LAS: words with the correct head and relation." in html and "<article>" not in html
    assert _run(*files, "--metric", "MLAS") == 0
    html = page.read_text(encoding="utf-8")
    assert "MLAS F1</th>" in html and "1 of 1 sentences with MLAS errors" in html and "<article>" in html
    assert _run(*files, "--metric", "LA") == 0
    assert _run(*files, "--metric", "Tokens") == 2
    assert "Unknown metric 'Tokens'; the metrics are Words, UPOS" in capsys.readouterr().err


def _run(*argv: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    arguments = parser.parse_args(["report", *argv])
    return int(arguments.run(arguments))


@pytest.mark.browser
@pytest.mark.parametrize("name", ["ar_suq", "ja_eki", "de_garten"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_the_page_fits_its_window_and_asks_for_nothing(
    name: str,
    width: int,
    scheme: str,
    pages: dict[str, str],
    browser: Browser,
    tmp_path: Path,
    screenshots: Path,
) -> None:
    file = tmp_path / "report.html"
    file.write_text(pages[name], encoding="utf-8")
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page = context.new_page()
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    ground, ink = page.evaluate("(s => [s.backgroundColor, s.color])(getComputedStyle(document.body))")
    assert ground == ("rgb(20, 23, 28)" if scheme == "dark" else "rgb(255, 255, 255)") and ink != ground
    page.screenshot(path=screenshots / f"report-{name}-{width}-{scheme}.png", full_page=True)
    context.close()
    assert asked == [file.as_uri()] and complaints == []
