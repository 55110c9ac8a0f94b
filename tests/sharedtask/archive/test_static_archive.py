"""The static archive: pages as a visitor sees them, from a disk, and no link that leads nowhere."""

from __future__ import annotations

import filecmp
import io
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from django.core.management import CommandError, call_command
from playwright.sync_api import Page, expect

from sharedtask.archive.models import Package
from sharedtask.archive.site.addresses import Addresses
from sharedtask.archive.site.rewrite import rewrite
from sharedtask.archive.site.scan import scan_page
from sharedtask.cascades.start import publish_experiment
from sharedtask.competition.models import Phase, Task
from sharedtask.judgements.models import Campaign
from sharedtask.standings.models import Standing
from sharedtask.submissions.models import Run
from tests.sharedtask.support.cascades_scenery import add_experiment, add_version
from tests.sharedtask.support.conll17 import load, small_data
from tests.sharedtask.support.judging import published_campaign
from tests.sharedtask.support.standing import compare, scored

LINKS = {"a": "href", "link": "href", "img": "src", "script": "src", "form": "action"}


@pytest.fixture
def finished(db: None, as_worker: None, tmp_path: Path) -> None:
    """A small task that is over, with everything published."""
    load(small_data(tmp_path / "small"))


@pytest.fixture
def judged(finished: None) -> Campaign:
    """A campaign of judgements in it, published as well."""
    task = Task.objects.get(slug="conll17")
    organiser = task.organisers.get()
    runs = Run.objects.filter(task=task, filename__in=["Koc-University.zip", "conll17-baseline.zip"])
    return published_campaign(task, list(runs), organiser)


def archive(folder: Path, **options: Any) -> Path:
    call_command("archive", "conll17", folder, stdout=io.StringIO(), **options)
    return folder


class Reader(HTMLParser):
    """Links and ids of a page, and what should not be in an archive."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.tags: set[str] = set()
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        result = dict(attrs)
        self.tags.add(tag)
        self.ids.add(result.get("id") or "")
        self.handlers += [name for name in result if name.startswith(("on", "hx-"))]
        if tag in LINKS and (link := result.get(LINKS[tag])) is not None:
            self.links.append(link)


def read(page: Path) -> Reader:
    reader = Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader


def test_no_link_of_the_archive_is_broken_or_leads_to_the_site(judged: Campaign, tmp_path: Path) -> None:
    team = Run.objects.get(filename="Koc-University.zip").team
    experiment = add_experiment(add_version(team), codes=[team.task.test_sets.order_by("code")[0].code])
    publish_experiment(experiment=experiment, by=team.task.organisers.get(), reason="All is over.")
    # A package that no worker has written yet comes along all the same.
    Package.objects.all().delete()
    folder = archive(tmp_path / "archive", sentences=1)
    assert (folder / "results.zip").stat().st_size > 1000
    pages = {path: read(path) for path in folder.rglob("*.html")}
    assert len(pages) > 60
    results = folder / "judgements" / judged.public_id
    assert "Aggregated choices by item" in (results / "index.html").read_text(encoding="utf-8")
    assert {f"table-{number}.csv" for number in range(1, 7)} <= {path.name for path in results.iterdir()}
    assert list(results.glob("items/*/index.html")) and (results / "judgements.zip").is_file()
    figures = folder / "cascades" / experiment.public_id
    assert "Effects of constraints" in (figures / "index.html").read_text(encoding="utf-8")
    assert {"cascades.json", "effects.csv", "effects.tex"} <= {path.name for path in figures.iterdir()}
    reached = {folder / "index.html"}
    for path, reader in pages.items():
        assert not reader.tags & {"script", "form", "input", "button", "select"}, path
        assert not reader.handlers, path
        for link in reader.links:
            parts = urlsplit(link)
            if parts.scheme:
                assert parts.scheme in ("https", "http", "mailto") and "localhost" not in link, (path, link)
                continue
            assert not link.startswith("/") and not parts.query, (path, link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file() and folder in target.parents, (path, link)
            if parts.fragment:
                assert parts.fragment in pages[target].ids, (path, link)
            reached.add(target)
    assert reached == {path for path in folder.rglob("*") if path.is_file()}
    for sheet in folder.rglob("*.css"):
        assert "url(" not in sheet.read_text(encoding="utf-8")


def go_through_in_a_browser(folder: Path, page: Page) -> None:
    page.goto((folder / "index.html").as_uri())
    page.get_by_role("navigation", name=re.compile("CoNLL")).get_by_role("link", name="Leaderboard").click()
    page.get_by_role("link", name="UPOS").click()
    expect(page.get_by_role("navigation", name="Metric").locator("[aria-current]")).to_have_text("UPOS")
    page.get_by_role("link", name="surprise").click()
    expect(page).to_have_url(re.compile(r"leaderboard/metric-UPOS\.scope-surprise\.html$"))
    page.get_by_role("link", name="Koç University").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Koç University")
    with page.expect_download() as download:
        page.goto((folder / "results" / "index.html").as_uri())
        page.get_by_role("link", name=re.compile("Download")).click()
    assert download.value.path().stat().st_size == (folder / "results.zip").stat().st_size


@pytest.mark.django_db(transaction=True)
def test_the_archive_has_every_metric_group_system_and_test_set_and_is_the_same_each_time(
    finished: None, tmp_path: Path, page: Page
) -> None:
    folder, again = archive(tmp_path / "archive"), archive(tmp_path / "again")
    files = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]
    same, different, missing = filecmp.cmpfiles(folder, again, files, shallow=False)
    assert (sorted(same), different, missing) == (sorted(files), [], [])
    names = set(files)
    assert names == {str(path.relative_to(again)) for path in again.rglob("*") if path.is_file()}
    for metric in ("UPOS", "CLAS", "Sentences"):
        for state in (f"metric-{metric}", f"metric-{metric}.scope-big"):
            assert f"leaderboard/{state}.html" in names and f"leaderboard/{state}.csv" in names
        assert f"sets/de_one/metric-{metric}.html" in names
    assert {"leaderboard/index.html", "leaderboard/scope-surprise.html", "matrix/index.html"} <= names
    assert {"sets/de_one/index.html", "sets/qqq/index.html", "definitions/index.html", "results.zip"} <= names
    for run in Run.objects.select_related("system"):
        assert f"systems/{run.system.public_id}/index.html" in names
        assert f"systems/{run.system.public_id}/metric-UPOS.html" in names
    assert any(name.startswith("compare/") for name in names)
    front = (folder / "leaderboard" / "index.html").read_text(encoding="utf-8")
    assert Standing.objects.get(ranking="official").signature in front
    assert "Sign in" not in front and "Upload" not in front and "published 2017-07-01" in front
    go_through_in_a_browser(folder, page)


def test_what_is_not_published_is_not_archived(blind_task: Any, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="not been published"):
        call_command("archive", "blind", tmp_path / "archive")
    with pytest.raises(CommandError, match="There is no task nowhere"):
        call_command("archive", "nowhere", tmp_path / "archive")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    with pytest.raises(CommandError, match="not an empty folder"):
        call_command("archive", "blind", tmp_path / "full")


def test_an_open_task_has_an_archive_without_a_package(
    phase: Phase, as_worker: None, dispatched: object, tmp_path: Path
) -> None:
    scored(phase, "Ash", 0.9)
    scored(phase, "Birch", 0.8)
    compare(phase)
    call_command("archive", "tiny", tmp_path / "archive", stdout=io.StringIO())
    assert "Birch" in (tmp_path / "archive" / "leaderboard" / "index.html").read_text(encoding="utf-8")
    assert not (tmp_path / "archive" / "results.zip").exists()


ADDRESSES = Addresses("t", frozenset({("metric", "LAS"), ("phase", "test"), ("ranking", "official")}), 2)
BOARD = "/tasks/t/leaderboard/"


@pytest.mark.parametrize(
    ("link", "archived"),
    [
        ("?metric=UAS&scope=big", f"{BOARD}?metric=UAS&scope=big"),
        ("?phase=test&ranking=official&metric=LAS", BOARD),
        ("?phase=test&ranking=unofficial", f"{BOARD}?phase=test&ranking=unofficial"),
        ("?scope=lang:en", f"{BOARD}?scope=lang%3Aen"),
        ("?scope=lang:en&metric=UAS", None),
        ("?sort=-LAS", None),
        ("?q=ash", None),
        ("/tasks/t/systems/abc/?metric=UAS", "/tasks/t/systems/abc/?metric=UAS"),
        ("/tasks/t/sets/en/?metric=LAS", "/tasks/t/sets/en/"),
        ("/tasks/t/compare/?with=b&with=a&metric=UAS", "/tasks/t/compare/?with=a&with=b"),
        ("/tasks/t/compare/?with=a", None),
        ("/tasks/t/sets/en/sentences/?system=a", "/tasks/t/sets/en/sentences/?system=a"),
        ("/tasks/t/sets/en/sentences/?system=a&show=wrong", None),
        ("/tasks/other/leaderboard/", None),
        ("/tasks/t/upload/", None),
        ("https://example.org/", None),
        ("/", "/tasks/t/"),
    ],
)
def test_an_address_has_its_place_or_none(link: str, archived: str | None) -> None:
    assert ADDRESSES.archived_address(link, BOARD) == archived


def test_of_a_list_of_sentences_the_first_come_along() -> None:
    page = "/tasks/t/sets/en/sentences/?system=a"
    links = [f"/tasks/t/sets/en/sentences/{number}/?system=a" for number in (7, 3, 9)]
    assert ADDRESSES.addresses_to_follow([*links, "/definitions/"], page) == [*links[:2], "/definitions/"]
    assert ADDRESSES.addresses_to_follow([*links, "/definitions/"], links[0]) == ["/definitions/"]
    # The others keep their text; what only invites to look at sentences does not.
    assert not ADDRESSES.is_call_to_action(links[2], page) and ADDRESSES.is_call_to_action(page, BOARD)


class Nowhere:
    """Links of which only `there/` is archived."""

    def target(self, link: str) -> str | None:
        return {"there/": "there.html", "?m=b": "b.html", "": "here.html"}.get(link)

    def is_call_to_action(self, link: str) -> bool:
        return link == "sign-in/"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ('<a class="x" href="there/">A &amp; B</a>', '<a class="x" href="there.html">A &amp; B</a>'),
        ('<a href="away/">words</a>', "<span>words</span>"),
        (
            '<nav><a href="away/">A</a><a href="away/" aria-current="page">B</a></nav>',
            '<nav><span aria-current="page">B</span></nav>',
        ),
        ('<a href="sign-in/">Sign in</a>!', "!"),
        ('<a href="sign-in/">63.01</a>', "<span>63.01</span>"),
        ('<a class="button" href="away/">Go <b>there</b></a>!', "!"),
        ("<script>var a = '</p>';</script>x", "x"),
        ('<form method="post"><p>Who?<input name="a"></p></form>x', "x"),
        (
            '<form><table><tr><td class="tick"><input></td><td>1</td></tr></table></form>',
            "<table><tr><td>1</td></tr></table>",
        ),
        ('<svg viewBox="0 0 1 1"><rect x="1"/></svg>', '<svg viewbox="0 0 1 1"><rect x="1"/></svg>'),
        ('<p data-live>Sort <em>it</em></p><p hx-get="/x" hidden>y</p>', "<p hidden>y</p>"),
    ],
    ids=[
        "kept",
        "gone",
        "nav",
        "invitation",
        "figure",
        "button",
        "script",
        "form",
        "table",
        "drawing",
        "live",
    ],
)
def test_of_a_page_remains_what_works_without_a_server(page: str, expected: str) -> None:
    assert rewrite(page, links=Nowhere(), colophon="") == expected


def test_a_form_of_choices_becomes_links() -> None:
    page = (
        '<form><input type="hidden" name="t" value=""><label for="m">Metric</label><select id="m" name="m">'
        '<option value="">A</option><option value="b">B</option><option value="c">C</option></select>'
        '<input name="q"><button>Show</button></form>'
    )
    assert scan_page(page).links == ["", "?m=b", "?m=c"]
    assert rewrite(page, links=Nowhere(), colophon="") == (
        '<nav class="links choices" aria-label="Metric"><strong>Metric</strong> '
        '<a href="here.html" aria-current="page">A</a> <a href="b.html">B</a></nav>'
    )
