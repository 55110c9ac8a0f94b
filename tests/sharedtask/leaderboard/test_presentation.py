"""A metric of another direction, factor and number of digits: drawn, printed and kept secret as such."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from evaluation import PROFILES, Presentation
from evaluation.showing.axis import axis_without_outliers
from sharedtask.competition.models import GoldVersion, Phase
from sharedtask.core import clock
from sharedtask.leaderboard.board.build import build_for_phase
from sharedtask.leaderboard.board.forest import forest
from sharedtask.leaderboard.charts import Distribution, Dot, distributions, scatter
from sharedtask.leaderboard.comparison.plots import difference_plot, difference_ticks
from sharedtask.leaderboard.matrix.cell_values import CellKind
from sharedtask.leaderboard.matrix.colours import ColourScale
from sharedtask.leaderboard.system.strips import score_axis, score_ticks, strips
from sharedtask.leaderboard.system.system_stats import SystemStats
from sharedtask.leaderboard.templatetags import printing
from sharedtask.standings.precision import as_printed, document_as_printed
from sharedtask.submissions.alarms import outlier_rules, score_detectors
from sharedtask.submissions.models import Run
from tests.sharedtask.support import three_metrics
from tests.sharedtask.support.standing import scored

DISTANCE = Presentation(explanation="errors", better="lower", factor=1, digits=3, kind="distance")
TASK = "/tasks/three/"


@pytest.fixture
def phase(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Phase:
    """Its metric MLAS is a distance."""
    profile = PROFILES["conll18"]
    changed = replace(profile, presentations={**profile.presentations, "MLAS": DISTANCE})
    monkeypatch.setitem(PROFILES._own, "conll18", changed)
    return three_metrics.load(tmp_path / "task").phases.get()


@pytest.fixture
def runs(phase: Phase, as_worker: None) -> dict[str, Run]:
    return three_metrics.stand(phase)


def read(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_a_figure_is_rounded_to_the_digits_that_its_metric_prints() -> None:
    assert as_printed(0.123456) == 0.1235, "F1 × 100 with two digits"
    assert as_printed(0.123456, DISTANCE) == 0.123
    assert as_printed(0.123456, replace(DISTANCE, factor=1000, digits=0)) == 0.123


def test_a_document_is_rounded_metric_by_metric() -> None:
    document = {
        "metric": "LAS",
        "macro": {"all": {"LAS": {"f1": 0.123456}, "D": {"f1": 0.123456, "low": None}}},
        "treebanks": {"xx": {"status": "valid", "D": 0.123456}},
        "pairs": [{"metric": "D", "difference": 0.123456, "p": 0.000123456}],
        "agreement": {"D": {"D": 0.123456}},
    }
    rounded = document_as_printed(document, {"LAS": Presentation(explanation=""), "D": DISTANCE})
    assert rounded["macro"]["all"] == {"LAS": {"f1": 0.1235}, "D": {"f1": 0.123, "low": None}}
    assert rounded["treebanks"]["xx"]["D"] == 0.123
    assert rounded["pairs"] == [{"metric": "D", "difference": 0.123, "p": 0.000123456}]
    assert rounded["agreement"] == {"D": {"D": 0.1235}}, "a correlation of rankings belongs to no metric"


def test_sealed_gold_is_as_secret_as_the_digits_of_each_metric(client: Client, runs: dict[str, Run]) -> None:
    GoldVersion.objects.update(released_at=None)
    board = client.get(TASK + "leaderboard.json?metric=MLAS").json()
    figures = board["systems"][0]["figures"]
    assert figures["MLAS"]["f1"] == round(figures["MLAS"]["f1"], 3)
    assert figures["LAS"]["f1"] == round(figures["LAS"]["f1"], 4)
    standing = client.get(board["standing"]).json()
    for system in standing["systems"]:
        for figure in system["macro"]["all"]["MLAS"].values():
            assert figure is None or figure == round(figure, 3)
        for file in system["treebanks"].values():
            assert file.get("MLAS", 0.0) == round(file.get("MLAS", 0.0), 3)


def test_the_forest_begins_with_the_worst(phase: Phase, runs: dict[str, Run]) -> None:
    board = build_for_phase(AnonymousUser(), phase, at=clock.database_now(), metric="MLAS")
    plot = forest(board)
    assert plot is not None
    points = [mark.point for mark in plot.marks]
    assert points == sorted(points, reverse=True), "the best is the first row and the furthest to the right"
    labels = [float(tick.label) for tick in plot.ticks]
    assert labels == sorted(labels, reverse=True) and labels[0] <= 1.0
    assert [tick.at for tick in plot.ticks] == sorted(tick.at for tick in plot.ticks)


def test_outliers_are_those_on_the_worse_side() -> None:
    axis = axis_without_outliers([0.9, *(n / 100 for n in range(10, 20))], DISTANCE)
    assert axis.high < 0.1 and 0.19 < axis.low < 0.3
    assert axis.percent(0.9) == 0 and axis.begins_after(0.9) and not axis.begins_after(0.05)
    assert axis.clamp(0.9) == axis.low
    ticks = axis.tick_values()
    assert ticks == sorted(ticks, reverse=True) and 3 <= len(ticks) <= 8


def test_strips_begin_with_the_worst_and_are_labelled_as_printed() -> None:
    axis = score_axis([0.12, 0.38], DISTANCE)
    assert (round(axis.low, 6), round(axis.high, 6)) == (0.4, 0.1)
    assert [tick.label for tick in score_ticks(axis, DISTANCE)] == ["0.4", "0.3", "0.2", "0.1"]
    stats = SystemStats(
        own=0.2,
        best=0.1,
        best_index=0,
        median=0.2,
        quartiles=(0.15, 0.3),
        extremes=(0.1, 0.9),
        systems=5,
    )
    result: Any = SimpleNamespace(stats=stats, f1=0.2)
    axis, (strip,) = strips([result], DISTANCE)
    assert (round(axis.low, 6), round(axis.high, 6)) == (0.3, 0.1), "the worst one of all is a failure"
    assert strip.range == (0, 100) and strip.box == (0, 75) and strip.own == 50


def test_differences_are_labelled_as_printed() -> None:
    comparison: Any = SimpleNamespace(difference=0.04, low=0.03, high=0.05)
    axis, _ = difference_plot([comparison], DISTANCE)
    assert difference_ticks(axis, DISTANCE)[-1].label == "+0.08"
    assert printing.amount(0.0123, DISTANCE) == "0.012"
    assert printing.amount(0.0123) == "1.23 points"


def test_charts_have_the_ticks_of_their_axis() -> None:
    dots = [Dot(name="Ash", x=0.1, y=70.0), Dot(name="Birch", x=0.2, y=80.0)]
    spec = scatter(dots, x="Distance", y="LAS", x_style=DISTANCE)
    x, y = spec["encoding"]["x"], spec["encoding"]["y"]
    assert x["scale"]["domain"] == sorted(x["scale"]["domain"], reverse=True)
    assert x["axis"]["values"] == pytest.approx([0.2, 0.18, 0.16, 0.14, 0.12, 0.1])
    assert y["axis"] == {"values": pytest.approx([70, 72, 74, 76, 78, 80]), "format": ".0f"}
    column = Distribution(name="xx", low=70.2, lower=71, median=72, upper=73, high=79.9)
    vertical = distributions([column], y="LAS")["layer"][0]["encoding"]["y"]
    assert vertical["scale"]["domain"] == [70, 80]
    assert vertical["axis"]["values"] == [70, 72, 74, 76, 78, 80]
    lower = replace(column, low=0.1, high=0.2)
    turned = distributions([lower], y="D", style=DISTANCE)["layer"][0]["encoding"]["y"]
    assert turned["scale"]["domain"] == [0.2, 0.1], "the best is at the top"


def test_a_tone_reveals_no_more_than_the_printed_figure() -> None:
    scale = ColourScale(kind=CellKind.F1, worst=0.01, best=0.0, presentation=DISTANCE)
    assert scale.tone(0.00524) == scale.tone(0.00476), "both print as 0.005"


def test_the_worse_of_two_systems_is_behind(client: Client, runs: dict[str, Run]) -> None:
    ids = "&".join(f"with={runs[name].public_id}" for name in ("Ash", "Birch"))
    text = read(client.get(f"{TASK}compare/?metric=MLAS&{ids}").content.decode())
    assert re.search(r"Ash is 0\.\d{3} ahead of Birch by MLAS", text)


def test_far_off_is_above_the_others_where_lower_is_better() -> None:
    scores = {"a": 0.1, "b": 0.12, "c": 0.11, "d": 0.1, "e": 0.9}
    assert list(outlier_rules.far_off(scores, {}, DISTANCE)) == ["e"]
    assert list(outlier_rules.far_off({**scores, "e": 0.0}, {}, DISTANCE)) == []
    others = {"a": [0.5, 0.5, 0.5]}
    assert outlier_rules.near_zero({"a": 0.0}, others, DISTANCE) == [], "zero is the best"
    assert outlier_rules.near_zero({"a": 0.0}, others, replace(DISTANCE, better="higher")) == ["a"]


def test_a_run_that_became_better_raises_no_alarm(phase: Phase, as_worker: None) -> None:
    for name in ("Ash", "Birch", "Cedar"):
        scored(phase, name, 0.7, others={"MLAS": 0.6, "BLEX": 0.6})
    run = scored(phase, "Elm", 0.7, others={"MLAS": 0.01, "BLEX": 0.6})
    assert list(score_detectors.find_outliers(run)) == []
    change = score_detectors.Change("MLAS", DISTANCE, now={"xx": 0.4}, then={"xx": 0.1})
    assert change.drop == pytest.approx(0.3)
    assert score_detectors.format_distance(change.drop, DISTANCE) == "0.30 above"
