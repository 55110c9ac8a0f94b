"""A drawn metric of a third party through the whole site, from an upload to the archive and a new version."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import evaluation
from evaluation import Comparison, CountMetric, Presentation, Profile, Table, TableMetric, Units, WordMetric
from evaluation.scoring.metric import Floats, Metric
from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.competition.release_gold import release_gold
from sharedtask.core import clock
from sharedtask.standings.corrections import Versions
from sharedtask.standings.figures import figures_of
from sharedtask.standings.gold_fix.compare import compare
from sharedtask.standings.models import Standing
from sharedtask.standings.precision import NOTHING
from sharedtask.standings.profile_change.put_in_force import put_in_force
from sharedtask.standings.publish import publish_results
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.rescore import score_missing
from sharedtask.teams.register import register
from tests.sharedtask.support.profiled import EVALATIN, Miniature
from tests.sharedtask.support.standing import close_now

pytestmark = pytest.mark.django_db(transaction=True)
METRIC = "Drawn"


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """Every n-th word of the file counts; a word is correct if its head is, or if it is every m-th."""

    kind: Literal["words", "counts", "table"]
    every: int
    lenient: int
    better: Literal["higher", "lower"]
    digits: int
    factor: int
    version: str = "1.0"

    def masks(self, comparison: Comparison) -> tuple[np.ndarray, np.ndarray]:
        """Over gold words, which are the system's too: those that count, and those that add to the figure."""
        number = np.arange(comparison.gold.words)
        correct = (comparison.gold.parent == comparison.system.parent) | (number % self.lenient == 0)
        return number % self.every == 0, correct == (self.better == "higher")

    def metric(self) -> Metric:
        if self.kind == "words":
            return WordMetric(
                (lambda comparison: self.masks(comparison)[1],),
                lambda comparison: (self.masks(comparison)[0],) * 2,
                accuracy=True,
            )
        return CountMetric(self.count) if self.kind == "counts" else TableMetric("sums", share)

    def count(self, comparison: Comparison, units: Units) -> np.ndarray:
        counted, added = self.masks(comparison)
        unit = units.gold["words"]
        totals = units.add_up(unit, counted)
        return np.stack([totals, totals, units.add_up(unit, counted & added)], axis=1)

    def table(self, comparison: Comparison, units: Units) -> Table:
        counted, added = self.masks(comparison)
        words = np.flatnonzero(counted)
        return Table.from_items(
            ["all"],
            ["added", "rest"],
            units.number,
            unit=units.gold["words"][words],
            row=np.zeros_like(words),
            column=np.where(added[words], 0, 1),
        )

    def profile(self) -> Profile:
        presentation = Presentation(
            explanation="drawn words", better=self.better, digits=self.digits, factor=self.factor
        )
        return Profile(
            name="drawn",
            version=self.version,
            title="A drawn profile",
            citation="Hypothesis",
            tokens_given=True,
            tables={"sums": self.table} if self.kind == "table" else {},
            definitions={METRIC: self.metric()},
            main=(METRIC,),
            presentations={METRIC: presentation},
        )

    def expected(self, gold: str, system: str) -> float:
        """By loops over the lines of the two files."""
        pairs = zip(rows(gold), rows(system), strict=True)
        counted = [(n, a[6] == b[6]) for n, (a, b) in enumerate(pairs) if n % self.every == 0]
        correct = sum(agrees or n % self.lenient == 0 for n, agrees in counted)
        share = correct / len(counted)
        return share if self.better == "higher" else 1 - share


def share(tables: Floats) -> Floats:
    sums: Floats = tables[..., 0, 0] / np.maximum(tables.sum(axis=(-2, -1)), 1)
    return sums


def rows(text: str) -> Iterator[list[str]]:
    return (line.split("\t") for line in text.splitlines() if line)


PROFILES = st.builds(
    Drawn,
    kind=st.sampled_from(["words", "counts", "table"]),
    # Sentences have four words: with 3, the words that count differ from sentence to sentence.
    every=st.sampled_from([1, 2, 3]),
    lenient=st.integers(5, 9),
    better=st.sampled_from(["higher", "lower"]),
    digits=st.integers(0, 4),
    factor=st.sampled_from([1, 100]),
)


@pytest.fixture
def team(db: None) -> None:
    """The fixture `upload` takes a team of the small task, which is not needed here."""


@pytest.fixture
def install() -> Iterator[Callable[[Drawn], None]]:
    """As if a package with it had been installed; `test_third_party_profile.py` installs a real one."""
    profiles = evaluation.PROFILES
    list(profiles)
    before = dict(profiles._plugins or {})

    def install(drawn: Drawn) -> None:
        profiles._plugins = before | {"drawn": drawn.profile()}

    yield install
    profiles._plugins = before


@settings(max_examples=2, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@example(Drawn(kind="table", every=3, lenient=7, better="lower", digits=3, factor=1))
@given(PROFILES)
def test_a_drawn_metric_passes_through_the_whole_site(
    install: Callable[[Drawn], None],
    upload: Callable[..., Run],
    work: Callable[[], None],
    tmp_path_factory: pytest.TempPathFactory,
    drawn: Drawn,
) -> None:
    folder = tmp_path_factory.mktemp("drawn")
    install(drawn)
    slug = f"drawn-{Task.objects.count()}"
    mini = Miniature(profile="drawn", gold=EVALATIN.gold, wrong=EVALATIN.wrong, public=False, blind=True)
    organiser = User.objects.get_or_create(username="organiser")[0]
    task = mini.load_as(folder / "task", slug=slug)
    task.organisers.add(organiser)
    for name, text in (("Ash", mini.gold), ("Birch", mini.wrong)):
        upload(mini.archive(text), team=register(task=task, name=name, confirmed=True))
    work()
    assert {run.state for run in task.runs.all()} == {"scored"}, list(Score.objects.values_list("failure"))
    close_now(task)
    release_gold(task=task, by=organiser, reason="All is over.")
    work()
    publish_results(task=task, by=organiser, reason="The task is over.")
    work()
    check_results(task, drawn, mini, folder)

    newer = replace(drawn, every=drawn.every % 3 + 1, version="2.0")
    install(newer)
    score_missing(at=clock.database_now())
    work()
    put_in_force(task=task, by=organiser, reason="Other words count.", compared="2.0")
    work()
    publish_results(task=task, by=organiser, reason="With the new version.")
    work()
    check_results(task, newer, mini, folder)
    assert Score.objects.filter(file__run__task=task, profile_version="1.0").count() == 2


def check_results(task: Task, drawn: Drawn, mini: Miniature, folder: Path) -> None:
    presentation = drawn.profile().presentations[METRIC]
    expected = {"Ash": drawn.expected(mini.gold, mini.gold), "Birch": drawn.expected(mini.gold, mini.wrong)}
    printed = {name: presentation.text(figure) for name, figure in expected.items()}
    standing = Standing.objects.filter(task=task, ranking="official", publications__isnull=False).latest("pk")
    assert f"|profile-version:{drawn.version}|" in standing.signature
    figures = figures_of(standing)
    teams = [task.runs.get(public_id=id).team.name for id in figures.systems]
    birch = teams.index("Birch"), 0, figures.metrics.index(METRIC)
    assert figures.f1[birch] == pytest.approx(expected["Birch"], abs=1e-12)
    assert figures.low[birch] <= figures.f1[birch] <= figures.high[birch]
    assert figures.low[birch] < figures.high[birch], "some of the sentences that are drawn have errors"
    best = min(expected, key=lambda name: presentation.sort_key(expected[name]))
    assert standing.table["rows"][0]["run"] == task.runs.get(team__name=best).public_id
    client = Client()
    board = client.get(f"/tasks/{task.slug}/leaderboard/").content.decode()
    assert all(f">{text}<" in board for text in printed.values())
    table = list(
        csv.DictReader(io.StringIO(client.get(f"/tasks/{task.slug}/leaderboard.csv").content.decode()))
    )
    assert {row["Team"]: row[METRIC] for row in table} == printed
    package = client.get(f"/tasks/{task.slug}/results.zip")
    assert package.status_code == 200
    with zipfile.ZipFile(io.BytesIO(b"".join(package.streaming_content))) as archive:
        scores = archive.read(f"{task.slug}/scores.csv").decode()
    stored = [float(row["f1"]) for row in csv.DictReader(io.StringIO(scores)) if row["metric"] == METRIC]
    assert sorted(stored) == pytest.approx(sorted(expected.values()))
    target = folder / f"archive-{drawn.version}"
    call_command("archive", task.slug, str(target))
    pages = [page.read_text(encoding="utf-8") for page in target.rglob("*.html")]
    assert any(f">{printed['Birch']}<" in page for page in pages)


def test_a_metric_that_the_old_version_lacks_is_compared_with_nothing(
    install: Callable[[Drawn], None],
    upload: Callable[..., Run],
    work: Callable[[], None],
    tmp_path: Path,
) -> None:
    drawn = Drawn(kind="counts", every=1, lenient=7, better="lower", digits=2, factor=100)
    install(drawn)
    mini = Miniature(profile="drawn", gold=EVALATIN.gold, wrong=EVALATIN.wrong)
    task = mini.load_as(tmp_path / "task", slug="drawn")
    for name, text in (("Ash", mini.gold), ("Birch", mini.wrong)):
        upload(mini.archive(text), team=register(task=task, name=name, confirmed=True))
    work()
    newer = replace(drawn, version="2.0").profile()
    evaluation.PROFILES._plugins["drawn"] = replace(  # type: ignore[index]
        newer,
        definitions={**newer.definitions, "Added": drawn.metric()},
        presentations={**newer.presentations, "Added": newer.presentations[METRIC]},
    )
    Task.objects.update(main_metrics=[METRIC, "Added"])
    score_missing(at=clock.database_now())
    work()
    phase = task.phases.select_related("task").get()
    both = compare(phase, old=Versions(profile="1.0"), new=Versions(profile="2.0"), at=clock.database_now())
    by_metric = {comparison.metric: comparison for comparison in both}
    old = {row.run.team.name: (row.old.figure, row.old.rank) for row in by_metric["Added"].rows}
    assert old == {"Ash": (NOTHING, None), "Birch": (NOTHING, None)}
    assert {row.change for row in by_metric["Added"].rows} == {NOTHING}
    figures = [row.new.figure for row in by_metric["Added"].rows]
    assert figures == [row.new.figure for row in by_metric[METRIC].rows] and figures[0] == "0.00"
    assert [row.new.rank for row in by_metric["Added"].rows] == [1, 2]
    assert [row.old.rank for row in by_metric[METRIC].rows] == [1, 2]
