"""Charts of an analysis: names are beside their dots, and systems where a drawn curve has their scores."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from evaluation.curves.analyse import AnalysedSet, analyse
from evaluation.curves.attachments import read_attachments
from evaluation.curves.average import average
from evaluation.curves.folders import find_series
from sharedtask.curves.charts import (
    WIDTHS,
    ChartWidth,
    complexity_chart,
    drawn_systems,
    part_chart,
    systems_elsewhere,
)
from tests.evaluation.drawn_series import draw_series

SVG = "{http://www.w3.org/2000/svg}"
NARROW_OR_WIDE = pytest.mark.parametrize("width", WIDTHS, ids=lambda width: width.name)


def analysed(folder: Path, name: str, seed: int, systems: dict[str, float]) -> AnalysedSet:
    draw_series(folder / name, seed, sentences=200, systems=systems)
    return analyse(read_attachments(find_series(folder / name)), replicates=0)


def position(element: ElementTree.Element) -> tuple[float, float]:
    match = re.search(r"translate\(([-\d.]+),([-\d.]+)\)", element.get("transform", ""))
    assert match is not None
    return float(match[1]), float(match[2])


def tooltips(root: ElementTree.Element) -> list[tuple[ElementTree.Element, str]]:
    return [(dot, title.text or "") for dot in root.iter(f"{SVG}path") for title in dot.iter(f"{SVG}title")]


@NARROW_OR_WIDE
def test_the_name_of_a_class_is_beside_its_dot(tmp_path: Path, width: ChartWidth) -> None:
    chart = complexity_chart(analysed(tmp_path, "toy", 3, {}).analysis, width)
    assert chart is not None
    root = ElementTree.fromstring(str(chart))
    dots = {tip.partition(": ")[0]: position(dot) for dot, tip in tooltips(root) if ": COMPLEXITY" in tip}
    names = [element for element in root.iter(f"{SVG}text") if (element.text or "") in dots]
    assert names
    for element in names:
        x, y = position(element)
        dot_x, dot_y = dots[element.text or ""]
        assert abs(x - dot_x) < 12 and abs(y - dot_y) < 20, element.text


@NARROW_OR_WIDE
def test_systems_are_marked_on_the_curves_of_the_same_test_sets(tmp_path: Path, width: ChartWidth) -> None:
    sets = [
        analysed(tmp_path, "toy", 3, {"everywhere": 0.5, "in toy only": 0.5}),
        analysed(tmp_path, "other", 4, {"everywhere": 0.5}),
    ]
    assert {system.name for system in drawn_systems(sets[0].analysis)} == {"everywhere", "in toy only"}
    combined = average(sets)
    (system,) = drawn_systems(combined)
    assert system.name == "everywhere"
    assert systems_elsewhere(combined) == ["in toy only"]
    root = ElementTree.fromstring(str(part_chart(combined, width)))
    parts = [tip for _, tip in tooltips(root) if re.search(", (overall|simple|complex): ", tip)]
    assert len(parts) == 3 and all(tip.startswith("everywhere, ") for tip in parts)
    placed = combined.systems["everywhere"].parts["overall"]
    assert placed is not None
    assert placed.placement.describe(combined.sizes) in {element.text for element in root.iter(f"{SVG}text")}
