"""A scatter plot: one dot per system, by two figures, or per thing that several systems have.

A system far worse than the rest is a triangle at the edge that points towards its position; its figures are
in its tooltip. A baseline differs in shape as well as in colour, and so do dots of different groups, where
a thin line joins those of the same name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation import Presentation
from evaluation.scoring.presentation import PLAIN
from evaluation.showing.axis import Axis, axis_without_outliers, digits_of
from sharedtask.leaderboard.charts.draw import Spec
from sharedtask.leaderboard.charts.labels import DISTANCE, RISE, SIDES, Label, Side, choose_labels
from sharedtask.leaderboard.charts.theme import GREEN, INK, OCHRE, SOFT

WIDTH, HEIGHT = 760, 440
COLOURS = (GREEN, OCHRE, INK)
SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down")
ALIGN = {"right": "left", "left": "right", "above": "center", "below": "center"}
OFFSET = {"right": (DISTANCE, 0), "left": (-DISTANCE, 0), "above": (0, -RISE), "below": (0, RISE)}


@dataclass(frozen=True, kw_only=True)
class Dot:
    name: str
    x: float
    y: float
    is_baseline: bool = False
    group: str = ""
    """In the legend; only dots of the first group have their names next to them."""


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
    groups = list(dict.fromkeys(dot.group for dot in dots))
    marks = {
        "mark": {"type": "point", "filled": True, "size": 75, "opacity": 0.8},
        "encoding": {**(look_by_group(groups) if groups[1:] else LOOK), "description": {"field": "label"}},
    }
    labels = [label_of(dot, x_axis, y_axis, width, height, named=dot.group == groups[0]) for dot in dots]
    return {
        "width": width,
        "height": height,
        "data": {"values": [datum(dot, x_axis, y_axis, tooltip(dot, x, y, digits)) for dot in ordered]},
        "encoding": {"x": channel("x", x, x_axis), "y": channel("y", y, y_axis)},
        "layer": [*([LINES] if groups[1:] else []), marks, *name_layers(labels, width, height)],
    }


LOOK: Spec = {
    "color": {"condition": {"test": "datum.baseline", "value": OCHRE}, "value": GREEN},
    "shape": {"field": "shape", "type": "nominal", "scale": None},
}
LINES: Spec = {
    "mark": {"type": "line", "color": SOFT, "strokeWidth": 1, "opacity": 0.6, "aria": False},
    "encoding": {"detail": {"field": "name"}, "order": {"field": "group"}},
}


def look_by_group(groups: Sequence[str]) -> Spec:
    """Colours are repeated before shapes are, so that every group has a look of its own."""
    legend = {"title": None, "orient": "top", "labelColor": INK, "labelLimit": 260, "symbolSize": 75}
    looks = {"color": COLOURS, "shape": SHAPES}
    return {
        channel: {
            "field": "group",
            "type": "nominal",
            "scale": {"domain": list(groups), "range": [values[n % len(values)] for n in range(len(groups))]},
            "legend": legend,
        }
        for channel, values in looks.items()
    }


def datum(dot: Dot, x_axis: Axis, y_axis: Axis, label: str) -> dict[str, Any]:
    return {
        "name": dot.name,
        "group": dot.group,
        "x": x_axis.clamp(dot.x),
        "y": y_axis.clamp(dot.y),
        "label": label,
        "baseline": dot.is_baseline,
        "shape": shape(dot, x_axis, y_axis),
    }


def tooltip(dot: Dot, x: str, y: str, digits: tuple[int, int]) -> str:
    name = f"{dot.name}, {dot.group}" if dot.group else dot.name
    return f"{name}: {x} {dot.x:.{digits[0]}f}, {y} {dot.y:.{digits[1]}f}"


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


def name_layers(labels: Sequence[Label], width: int, height: int) -> list[Spec]:
    """A layer for the names on each side of their dots; positions are in pixels."""
    chosen = choose_labels(labels, width=width, height=height)
    return [name_layer([label for label in chosen if label.side == side], side) for side in SIDES]


def name_layer(labels: Sequence[Label], side: Side) -> Spec:
    dx, dy = OFFSET[side]
    return {
        "data": {"values": [{"name": label.name, "x": label.x, "y": label.y} for label in labels]},
        "mark": {"type": "text", "align": ALIGN[side], "dx": dx, "dy": dy, "color": SOFT},
        "encoding": {
            "text": {"field": "name"},
            # Otherwise Vega would describe a name by its position in pixels, as if these were its figures.
            "description": {"field": "name"},
            "x": {"field": "x", "type": "quantitative", "scale": None},
            "y": {"field": "y", "type": "quantitative", "scale": None},
        },
    }


def label_of(dot: Dot, x_axis: Axis, y_axis: Axis, width: int, height: int, *, named: bool) -> Label:
    """Without a name a dot is only in the way of the names of others."""
    x, y = x_axis.position(dot.x), y_axis.position(dot.y)
    return Label(name=dot.name if named else "", x=x * width, y=(1 - y) * height)
