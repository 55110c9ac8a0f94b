"""A scatter plot: one dot for each system, by two figures.

What lies far below the rest stands at the edge, as a triangle that points to where it belongs; its figures
are under the pointer. A baseline is told by its shape as well as by its colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sharedtask.leaderboard.charts.axis import Axis, axis_of
from sharedtask.leaderboard.charts.draw import Spec
from sharedtask.leaderboard.charts.labels import DISTANCE, Place, named
from sharedtask.leaderboard.charts.look import GREEN, OCHRE, SOFT

WIDTH, HEIGHT = 760, 440


@dataclass(frozen=True, kw_only=True)
class Dot:
    name: str
    x: float
    y: float
    is_baseline: bool = False


def scatter(dots: Sequence[Dot], *, x: str, y: str, digits: tuple[int, int] = (2, 2)) -> Spec:
    """`digits` of the figures along both axes, for the labels."""
    across, upwards = axis_of([dot.x for dot in dots]), axis_of([dot.y for dot in dots])
    # Many systems have the segmentation of a baseline: it is drawn last, or they would hide it.
    in_order = sorted(dots, key=lambda dot: dot.is_baseline)
    marks = {
        "mark": {"type": "point", "filled": True, "size": 75, "opacity": 0.8},
        "encoding": {
            "color": {"condition": {"test": "datum.baseline", "value": OCHRE}, "value": GREEN},
            "shape": {"field": "shape", "type": "nominal", "scale": None},
            "description": {"field": "label"},
        },
    }
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": [told(dot, across, upwards, label(dot, x, y, digits)) for dot in in_order]},
        "encoding": {"x": channel("x", x, across), "y": channel("y", y, upwards)},
        "layer": [marks, *names(dots, across, upwards)],
    }


def told(dot: Dot, across: Axis, upwards: Axis, label: str) -> dict[str, Any]:
    return {
        "name": dot.name,
        "x": across.inside(dot.x),
        "y": upwards.inside(dot.y),
        "label": label,
        "baseline": dot.is_baseline,
        "shape": shape(dot, across, upwards),
    }


def label(dot: Dot, x: str, y: str, digits: tuple[int, int]) -> str:
    return f"{dot.name}: {x} {dot.x:.{digits[0]}f}, {y} {dot.y:.{digits[1]}f}"


def shape(dot: Dot, across: Axis, upwards: Axis) -> str:
    if dot.y < upwards.low:
        return "triangle-down"
    if dot.x < across.low:
        return "triangle-left"
    return "diamond" if dot.is_baseline else "circle"


def channel(name: str, title: str, axis: Axis) -> Spec:
    scale = {"domain": [axis.low, axis.high], "nice": False, "zero": False}
    return {"field": name, "type": "quantitative", "title": title, "scale": scale, "axis": {"tickCount": 7}}


def names(dots: Sequence[Dot], across: Axis, upwards: Axis) -> list[Spec]:
    """One layer for names to the right of their dots, one for those to the left; places are pixels."""
    chosen = named([place(dot, across, upwards) for dot in dots])
    return [
        {
            "data": {
                "values": [
                    {"name": one.name, "x": one.x, "y": one.y} for one in chosen if one.to_the_right == right
                ]
            },
            "mark": {
                "type": "text",
                "align": "left" if right else "right",
                "dx": DISTANCE if right else -DISTANCE,
                "color": SOFT,
            },
            "encoding": {
                "text": {"field": "name"},
                # Without it Vega would describe a name by its place in pixels, as if that were its figures.
                "description": {"field": "name"},
                "x": {"field": "x", "type": "quantitative", "scale": None},
                "y": {"field": "y", "type": "quantitative", "scale": None},
            },
        }
        for right in (True, False)
    ]


def place(dot: Dot, across: Axis, upwards: Axis) -> Place:
    at = across.at(dot.x)
    return Place(name=dot.name, x=at * WIDTH, y=(1 - upwards.at(dot.y)) * HEIGHT, to_the_right=at < 0.5)
