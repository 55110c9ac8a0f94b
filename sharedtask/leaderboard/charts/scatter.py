"""A scatter plot: one dot for each system, by two figures.

A few systems that failed would press all others into one spot. What lies far below the rest stands at the
edge instead, as a triangle that points to where it belongs; its figures are under the pointer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharedtask.leaderboard.charts.draw import Spec
from sharedtask.leaderboard.charts.look import GREEN, OCHRE, SOFT

WIDTH, HEIGHT = 560, 340
FAR = 3
"""So many times the distance of the quartiles below the lower one begins what stands at the edge."""
LEAST = 2.0
"""The least distance of quartiles, in points: half of the field may have exactly the same figure."""
NAMED = 10
"""At most so many dots have their names written beside them; all have them under the pointer."""
LETTER, LINE_HEIGHT = 7.5, 16
"""About the size of a letter, to keep names from lying upon names."""


@dataclass(frozen=True, kw_only=True)
class Dot:
    name: str
    x: float
    y: float
    is_baseline: bool = False


@dataclass(frozen=True, kw_only=True)
class Axis:
    """From where to where, with a little room around the dots."""

    low: float
    high: float

    def inside(self, value: float) -> float:
        return max(value, self.low)

    def share(self, distance: float) -> float:
        return abs(distance) / (self.high - self.low)


def axis_of(values: Sequence[float]) -> Axis:
    lower, upper = np.quantile(values, [0.25, 0.75]).tolist()
    end = lower - FAR * max(upper - lower, LEAST)
    near = [value for value in values if value >= end]
    room = 0.05 * (max(near) - min(near)) or 1.0
    return Axis(low=min(near) - room, high=max(near) + room)


def scatter(dots: Sequence[Dot], *, x: str, y: str) -> Spec:
    """A baseline is told by its shape as well as by its colour."""
    across, upwards = axis_of([dot.x for dot in dots]), axis_of([dot.y for dot in dots])
    told = [
        {
            **placed(dot, across, upwards),
            "label": f"{dot.name}: {x} {dot.x:.2f}, {y} {dot.y:.2f}",
            "baseline": dot.is_baseline,
            "shape": shape(dot, across, upwards),
        }
        for dot in dots
    ]
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
        "data": {"values": told},
        "encoding": {"x": channel("x", x, across), "y": channel("y", y, upwards)},
        "layer": [marks, *names(dots, across, upwards)],
    }


def channel(name: str, title: str, axis: Axis) -> Spec:
    scale = {"domain": [axis.low, axis.high], "nice": False, "zero": False}
    return {"field": name, "type": "quantitative", "title": title, "scale": scale, "axis": {"tickCount": 7}}


def placed(dot: Dot, across: Axis, upwards: Axis) -> dict[str, Any]:
    return {"name": dot.name, "x": across.inside(dot.x), "y": upwards.inside(dot.y)}


def shape(dot: Dot, across: Axis, upwards: Axis) -> str:
    if dot.y < upwards.low:
        return "triangle-down"
    if dot.x < across.low:
        return "triangle-left"
    return "diamond" if dot.is_baseline else "circle"


def names(dots: Sequence[Dot], across: Axis, upwards: Axis) -> list[Spec]:
    """To the side on which there is room."""
    middle = (across.low + across.high) / 2
    named = with_names(dots, across, upwards)
    left = [dot for dot in named if dot.x < middle]
    right = [dot for dot in named if dot.x >= middle]
    return [
        {
            "data": {"values": [placed(dot, across, upwards) for dot in beside]},
            "mark": {"type": "text", "align": align, "dx": distance, "limit": 170, "color": SOFT},
            "encoding": {"text": {"field": "name"}},
        }
        for align, distance, beside in (("left", 9, left), ("right", -9, right))
        if beside
    ]


def with_names(dots: Sequence[Dot], across: Axis, upwards: Axis) -> list[Dot]:
    """The highest first, each unless its name would touch one that is there already."""
    chosen: list[Dot] = []
    for dot in sorted(dots, key=lambda dot: (-dot.y, dot.name)):
        apart = [
            across.share(across.inside(dot.x) - across.inside(other.x)) * WIDTH
            > LETTER * max(len(dot.name), len(other.name))
            or upwards.share(upwards.inside(dot.y) - upwards.inside(other.y)) * HEIGHT > LINE_HEIGHT
            for other in chosen
        ]
        if all(apart) and len(chosen) < NAMED:
            chosen.append(dot)
    return chosen
