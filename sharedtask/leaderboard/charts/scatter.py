"""A scatter plot: one dot for each system, by two figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sharedtask.leaderboard.charts.draw import Spec
from sharedtask.leaderboard.charts.look import GREEN, OCHRE, SOFT

WIDTH, HEIGHT = 430, 320
NAMED = 8
"""At most so many dots have their names written beside them; all have them under the pointer."""
LETTER, LINE_HEIGHT = 7.5, 16
"""About the size of a letter, to keep names from lying upon names."""


@dataclass(frozen=True, kw_only=True)
class Dot:
    name: str
    x: float
    y: float
    is_baseline: bool = False


def scatter(dots: Sequence[Dot], *, x: str, y: str) -> Spec:
    """A baseline is told by its shape as well as by its colour."""
    values = [
        {**asdict(dot), "label": f"{dot.name}: {x} {dot.x:.2f}, {y} {dot.y:.2f}"}
        for dot in sorted(dots, key=lambda dot: -dot.y)
    ]
    places = {
        "x": {"field": "x", "type": "quantitative", "title": x, "scale": {"zero": False, "nice": True}},
        "y": {"field": "y", "type": "quantitative", "title": y, "scale": {"zero": False, "nice": True}},
    }
    marks = {
        "mark": {"type": "point", "filled": True, "size": 75, "opacity": 0.85},
        "encoding": {
            "color": {"condition": {"test": "datum.is_baseline", "value": OCHRE}, "value": GREEN},
            "shape": {"condition": {"test": "datum.is_baseline", "value": "diamond"}, "value": "circle"},
            "description": {"field": "label"},
        },
    }
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": values},
        "encoding": places,
        "layer": [marks, *names(dots)],
    }


def names(dots: Sequence[Dot]) -> list[Spec]:
    """To the side on which there is room."""
    middle = (max((dot.x for dot in dots), default=0) + min((dot.x for dot in dots), default=0)) / 2
    named = with_names(dots)
    sides = (("left", 9, [dot for dot in named if dot.x < middle]),)
    sides += (("right", -9, [dot for dot in named if dot.x >= middle]),)
    return [
        {
            "data": {"values": [asdict(dot) for dot in beside]},
            "mark": {"type": "text", "align": align, "dx": distance, "limit": 170, "color": SOFT},
            "encoding": {"text": {"field": "name"}},
        }
        for align, distance, beside in sides
        if beside
    ]


def with_names(dots: Sequence[Dot]) -> list[Dot]:
    """The highest first, each unless its name would touch one that is there already."""
    across = max((dot.x for dot in dots), default=0) - min((dot.x for dot in dots), default=0) or 1.0
    upwards = max((dot.y for dot in dots), default=0) - min((dot.y for dot in dots), default=0) or 1.0
    chosen: list[Dot] = []
    for dot in sorted(dots, key=lambda dot: (-dot.y, dot.name)):
        beside = [
            abs(dot.x - other.x) / across * WIDTH > LETTER * max(len(dot.name), len(other.name))
            or abs(dot.y - other.y) / upwards * HEIGHT > LINE_HEIGHT
            for other in chosen
        ]
        if all(beside) and len(chosen) < NAMED:
            chosen.append(dot)
    return chosen
