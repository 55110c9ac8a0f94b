"""A scatter plot: one dot per system, by two figures.

A system far worse than the rest is a triangle at the edge that points towards its position; its figures are
in its tooltip. A baseline differs in shape as well as in colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation import Presentation
from evaluation.scoring.presentation import PLAIN
from evaluation.showing.axis import Axis, axis_without_outliers, digits_of
from sharedtask.leaderboard.charts.draw import Spec
from sharedtask.leaderboard.charts.labels import DISTANCE, Label, choose_labels
from sharedtask.leaderboard.charts.theme import GREEN, OCHRE, SOFT

WIDTH, HEIGHT = 760, 440


@dataclass(frozen=True, kw_only=True)
class Dot:
    name: str
    x: float
    y: float
    is_baseline: bool = False


def scatter(
    dots: Sequence[Dot],
    *,
    x: str,
    y: str,
    x_style: Presentation = PLAIN,
    y_style: Presentation = PLAIN,
    width: int = WIDTH,
    height: int = HEIGHT,
) -> Spec:
    """Both axes begin with the worst figure."""
    x_axis = axis_without_outliers([dot.x for dot in dots], x_style)
    y_axis = axis_without_outliers([dot.y for dot in dots], y_style)
    digits = x_style.digits, y_style.digits
    # Many systems use the segmentation of a baseline: it is drawn last, or they would hide it.
    ordered = sorted(dots, key=lambda dot: dot.is_baseline)
    marks = {
        "mark": {"type": "point", "filled": True, "size": 75, "opacity": 0.8},
        "encoding": {
            "color": {"condition": {"test": "datum.baseline", "value": OCHRE}, "value": GREEN},
            "shape": {"field": "shape", "type": "nominal", "scale": None},
            "description": {"field": "label"},
        },
    }
    labels = [label_of(dot, x_axis, y_axis, width=width, height=height) for dot in dots]
    return {
        "width": width,
        "height": height,
        "data": {"values": [datum(dot, x_axis, y_axis, tooltip(dot, x, y, digits)) for dot in ordered]},
        "encoding": {"x": channel("x", x, x_axis), "y": channel("y", y, y_axis)},
        "layer": [marks, *name_layers(labels)],
    }


def datum(dot: Dot, x_axis: Axis, y_axis: Axis, label: str) -> dict[str, Any]:
    return {
        "name": dot.name,
        "x": x_axis.clamp(dot.x),
        "y": y_axis.clamp(dot.y),
        "label": label,
        "baseline": dot.is_baseline,
        "shape": shape(dot, x_axis, y_axis),
    }


def tooltip(dot: Dot, x: str, y: str, digits: tuple[int, int]) -> str:
    return f"{dot.name}: {x} {dot.x:.{digits[0]}f}, {y} {dot.y:.{digits[1]}f}"


def shape(dot: Dot, x_axis: Axis, y_axis: Axis) -> str:
    if y_axis.begins_after(dot.y):
        return "triangle-down"
    if x_axis.begins_after(dot.x):
        return "triangle-left"
    return "diamond" if dot.is_baseline else "circle"


def channel(name: str, title: str, axis: Axis) -> Spec:
    scale = {"domain": [axis.low, axis.high], "nice": False, "zero": False}
    ticks = {"values": axis.tick_values(), "format": f".{digits_of(axis.step)}f"}
    return {"field": name, "type": "quantitative", "title": title, "scale": scale, "axis": ticks}


def name_layers(labels: Sequence[Label]) -> list[Spec]:
    """One layer for names to the right of their dots, one for those to the left; positions are in pixels."""
    chosen = choose_labels(labels)
    return [name_layer([label for label in chosen if label.on_right is side], side) for side in (True, False)]


def name_layer(labels: Sequence[Label], on_right: bool) -> Spec:
    return {
        "data": {"values": [{"name": label.name, "x": label.x, "y": label.y} for label in labels]},
        "mark": {
            "type": "text",
            "align": "left" if on_right else "right",
            "dx": DISTANCE if on_right else -DISTANCE,
            "color": SOFT,
        },
        "encoding": {
            "text": {"field": "name"},
            # Otherwise Vega would describe a name by its position in pixels, as if these were its figures.
            "description": {"field": "name"},
            "x": {"field": "x", "type": "quantitative", "scale": None},
            "y": {"field": "y", "type": "quantitative", "scale": None},
        },
    }


def label_of(dot: Dot, x_axis: Axis, y_axis: Axis, *, width: int, height: int) -> Label:
    x, y = x_axis.position(dot.x), y_axis.position(dot.y)
    return Label(name=dot.name, x=x * width, y=(1 - y) * height, on_right=x < 0.5)
