"""Charts: part of the page in colours and in law, one image for those who hear it, drawn once."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.cache import caches

from sharedtask.leaderboard.charts import Distribution, Dot, distributions, draw, scatter
from sharedtask.leaderboard.charts.labels import Label, choose_labels
from tests.machinery.site import ROOT

SVG = "{http://www.w3.org/2000/svg}"
DOTS = [
    Dot(name="Ash", x=99.0, y=80.0),
    Dot(name="<b>Birch</b> & 'co'", x=98.0, y=60.5),
    Dot(name="Base", x=97.0, y=50.0, is_baseline=True),
]
COLUMNS = [
    Distribution(name="kk", low=10, lower=15, median=20, upper=25, high=30, points=(10.0, 20.0, 30.0)),
    Distribution(name="en", low=60, lower=65, median=70, upper=75, high=80),
]


@pytest.fixture(autouse=True)
def nothing_drawn_yet() -> None:
    caches["charts"].clear()


def charts() -> list[str]:
    return [
        str(draw(scatter(DOTS, x="Words", y="LAS"), title="Words against LAS", description="Three systems.")),
        str(draw(distributions(COLUMNS, y="LAS"), title="LAS by test set", description="Two test sets.")),
    ]


def test_charts_have_only_colours_of_the_page_and_nothing_that_the_policy_forbids() -> None:
    for chart in charts():
        colours = set(re.findall(r'(?:fill|stroke)="([^"]*)"', chart)) - {"none", "transparent"}
        assert colours
        assert all(re.fullmatch(r"var\(--[a-z-]+\)", colour) for colour in colours), colours
        assert re.findall(r"style=|<style|<script|\bon[a-z]+=|href|font-family", chart) == []


def test_a_chart_is_one_image_with_a_name_and_a_description() -> None:
    first = ElementTree.fromstring(charts()[0])
    assert first.get("role") == "img"
    texts = {element.get("id"): element.text for element in first if element.get("id")}
    assert [texts[name] for name in (first.get("aria-labelledby") or "").split()] == [
        "Words against LAS",
        "Three systems.",
    ]
    assert [element for element in first.iter() if element.get("aria-label")] == []


def test_what_a_mark_stands_for_is_under_the_pointer_and_stays_text() -> None:
    chart = charts()[0]
    titles = [element.text for element in ElementTree.fromstring(chart).iter(SVG + "title")]
    assert "Ash: Words 99.00, LAS 80.00" in titles
    assert "<b>Birch</b> & 'co': Words 98.00, LAS 60.50" in titles
    assert "<b>" not in chart


def test_the_same_chart_is_drawn_once_and_another_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    module = sys.modules["sharedtask.leaderboard.charts.draw"]
    monkeypatch.setattr(module, "render", lambda spec: drawn.append(spec) or ElementTree.Element(SVG + "svg"))
    for description in ("one", "one", "two"):
        draw(scatter(DOTS, x="Words", y="LAS"), title="T", description=description)
    assert len(drawn) == 2


def test_a_chart_is_drawn_even_if_the_disk_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(caches["charts"]), "set", full)
    assert all("<svg" in chart for chart in charts())


def test_names_cover_neither_each_other_nor_a_dot() -> None:
    """Each is where there is room first: on the side with more room, on the other one, above, below."""
    dots = [
        Label(name="Highest", x=700, y=10),
        Label(name="Just below it", x=700, y=20),
        Label(name="Left of a dot", x=100, y=200),
        Label(name="A dot", x=150, y=203),
        Label(name="", x=80, y=202),
        Label(name="To the other side", x=40, y=12),
    ]
    chosen = {label.name: label.side for label in choose_labels(dots, width=760, height=440)}
    assert chosen == {
        "Highest": "left",
        # To the right there is no room; above it is the highest dot.
        "Just below it": "below",
        "To the other side": "right",
        "Left of a dot": "above",
        "A dot": "right",
    }


def test_a_dot_without_room_has_no_name() -> None:
    crowd = [Label(name=f"Name {x} {y}", x=x, y=y) for x in range(0, 100, 5) for y in range(0, 40, 5)]
    chosen = choose_labels(crowd, width=120, height=60)
    assert len(chosen) < len(crowd)
    assert not any(label.covers_dot(other) for label in chosen for other in crowd if other.name != label.name)
    assert not any(label.overlaps(other) for label in chosen for other in chosen if other is not label)
    assert all(label.fits(120, 60) for label in chosen)


def test_nine_dots_like_those_of_error_classes_all_have_names() -> None:
    """Shares and displacements of a system of the demo: four of its classes once had none."""
    figures = {
        "NP attachment": (12.84, 2.52),
        "NP internal": (23.85, 2.5),
        "PP attachment": (9.17, 3.13),
        "Clause attachment": (5.05, 3.18),
        "Modifier attachment": (9.63, 2.56),
        "Coordination": (7.34, 4.09),
        "Root": (2.75, 9.75),
        "Punctuation": (14.22, 3.35),
        "Other": (15.14, 2.31),
    }
    spec = scatter([Dot(name=name, x=x, y=y) for name, (x, y) in figures.items()], x="share", y="words")
    assert {mark["name"] for layer in spec["layer"][1:] for mark in layer["data"]["values"]} == set(figures)


def test_dots_of_several_groups_are_joined_and_named_once() -> None:
    dots = [
        Dot(name=name, group=group, x=x, y=x)
        for group in ("Ash", "Fir")
        for name, x in (("a", 1.0), ("b", 2.0))
    ]
    spec = scatter(dots, x="X", y="Y")
    lines, marks, *names = spec["layer"]
    assert lines["encoding"]["detail"] == {"field": "name"}
    assert marks["encoding"]["shape"]["scale"]["domain"] == ["Ash", "Fir"]
    assert sorted(mark["name"] for layer in names for mark in layer["data"]["values"]) == ["a", "b"]
    assert spec["data"]["values"][-1]["label"] == "b, Fir: X 2.00, Y 2.00"
    assert all(name in draw(spec, title="T", description="D") for name in ("Ash", "Fir"))


def test_what_lies_far_out_stands_at_the_edge_with_its_true_figures() -> None:
    field = [Dot(name=f"System {n}", x=99.0, y=80 - n / 10) for n in range(20)]
    failed, elsewhere = Dot(name="Failed", x=99.0, y=0.5), Dot(name="Elsewhere", x=80.0, y=78.0)
    spec = scatter([*field, failed, elsewhere], x="Words", y="LAS")
    marks = {mark["name"]: mark for mark in spec["data"]["values"]}
    low, high = spec["encoding"]["y"]["scale"]["domain"]
    assert 77 < low < 78.1
    assert 80 < high < 81
    assert (marks["Failed"]["shape"], marks["Failed"]["y"]) == ("triangle-down", low)
    assert marks["Failed"]["label"] == "Failed: Words 99.00, LAS 0.50"
    assert marks["Elsewhere"]["shape"] == "triangle-left"
    assert marks["System 0"]["shape"] == "circle"


def test_a_single_dot_and_a_single_place_can_be_drawn() -> None:
    assert "<svg" in draw(scatter(DOTS[:1], x="Words", y="LAS"), title="T", description="D")
    assert "<svg" in draw(distributions(COLUMNS[:1], y="LAS"), title="T", description="D")


def test_a_process_that_draws_nothing_has_no_javascript_engine() -> None:
    code = "import sys, django; django.setup(); import sharedtask.urls; print('vl_convert' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={"DJANGO_SETTINGS_MODULE": "sharedtask.settings.test", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "False"
