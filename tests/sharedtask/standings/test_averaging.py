"""Averages as the profile says: the same in standings, on run pages, in captions, and by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.test import Client

import evaluation
from evaluation.ranking.results import EVERYTHING
from evaluation.scoring.profile import Averaging
from sharedtask.competition.models import Task
from sharedtask.standings.figures import figures_of
from sharedtask.standings.models import Standing
from sharedtask.submissions.average import average
from sharedtask.submissions.models import Run, Score
from tests.sharedtask.support.building import good_archive

pytestmark = pytest.mark.django_db(transaction=True)
# German: four words of which the system splits one into two, all others right; English: three words.
SPLIT = """\
1\tDer\tder\tDET\t_\t_\t2\tdet\t_\t_
2\tHund\tHund\tNOUN\t_\t_\t3\tnsubj\t_\t_
3\tschlä\tschlafen\tVERB\t_\t_\t0\troot\t_\t_
4\tft\tft\tX\t_\t_\t3\tdep\t_\t_
5\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_

"""


def use(averaging: Averaging, monkeypatch: pytest.MonkeyPatch) -> None:
    own = evaluation.PROFILES._own
    monkeypatch.setitem(own, "conll17", replace(own["conll17"], averaging=averaging))


@pytest.mark.parametrize(
    ("averaging", "expected", "words"),
    [
        # Of four gold and five system words one has the right head: three hang on the split word.
        ("figures", (2 * 1 / 9 + 1) / 2, "macro-averaged F1 × 100"),
        ("precision-recall", None, "macro-averaged (precision and recall first)"),
        ("micro", 2 * (1 + 3) / (9 + 6), "micro-averaged F1 × 100"),
    ],
)
def test_the_average_is_that_of_the_profile(
    averaging: Averaging,
    expected: float | None,
    words: str,
    task: Task,
    upload: Callable[..., Run],
    work: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    client: Client,
) -> None:
    use(averaging, monkeypatch)
    run = upload(good_archive(de_one=SPLIT))
    work()
    counts = dict(Score.objects.values_list("file__test_set__code", "counts"))
    german, english = (counts[code]["LAS"] for code in ("de_one", "en_two"))
    assert (german["gold"], german["system"], english["gold"], english["correct"]) == (4, 5, 3, 3)
    if expected is None:
        precision = (german["correct"] / 5 + 1) / 2
        recall = (german["correct"] / 4 + 1) / 2
        expected = 2 * precision * recall / (precision + recall)
    stored = figures_of(Standing.objects.get())
    place = 0, stored.scopes.index(EVERYTHING), stored.metrics.index("LAS")
    assert stored.f1[place] == pytest.approx(expected, abs=1e-12)
    assert stored.low[place] - 1e-12 <= expected <= stored.high[place] + 1e-12
    averages = average(task, list(task.test_sets.all()), counts)
    assert averages["LAS"] == pytest.approx(expected, abs=1e-12)
    page = " ".join(client.get("/tasks/tiny/leaderboard/").content.decode().split())
    assert words in page and f"{100 * expected:.2f}" in page
    assert run.public_id in page


@pytest.mark.parametrize(("policy", "expected"), [("zero", 2 * 3 / (6 + 4)), ("exclude", 1.0)])
def test_a_missing_file_counts_with_its_gold_words_in_a_micro_average(
    policy: str,
    expected: float,
    task: Task,
    upload: Callable[..., Run],
    work: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The number of gold words is known from another run."""
    use("micro", monkeypatch)
    Task.objects.update(missing_policy=policy)
    task.refresh_from_db()
    upload(good_archive())
    run = upload(good_archive(de_one=""))
    work()
    counts = dict(Score.objects.filter(file__run=run).values_list("file__test_set__code", "counts"))
    averages = average(task, list(task.test_sets.all()), counts)
    assert averages["LAS"] == expected
