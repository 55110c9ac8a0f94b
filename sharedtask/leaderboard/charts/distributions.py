"""Distributions side by side: for each test set the range, the middle half and the median of all systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evaluation import Presentation
from evaluation.scoring.presentation import PLAIN
from evaluation.showing.axis import MAX_STEPS, Axis, axis_with_ticks, digits_of, steps_of
from sharedtask.leaderboard.charts.draw import Spec
from sharedtask.leaderboard.charts.theme import GREEN, INK, OCHRE, SOFT

HEIGHT = 260
MAX_WIDTH = 1060


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """Figures on one test set, as printed. `points` are drawn one by one, for the highlighted set."""

    name: str
    low: float
    lower: float
    median: float
    upper: float
    high: float
    points: tuple[float, ...] = ()

    @property
    def is_highlighted(self) -> bool:
        return bool(self.points)


def distributions(columns: Sequence[Distribution], *, y: str, style: Presentation = PLAIN) -> Spec:
    """In the given order, the best figures at the top.

    The highlighted column has another colour, and all its points.
    """
    values = [datum(column, y, style.digits) for column in columns]
    step = max(10, min(66, MAX_WIDTH // max(1, len(columns))))
    colour = {"condition": {"test": "datum.marked", "value": OCHRE}, "value": GREEN}
    axis = vertical_axis(columns, style)
    vertical = {
        "type": "quantitative",
        "title": y,
        "scale": {"domain": [axis.low, axis.high], "zero": False, "nice": False},
        "axis": {"values": axis.tick_values(), "format": f".{digits_of(axis.step)}f"},
    }
    horizontal = {
        "field": "name",
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": {"labelAngle": -90, "labelFontSize": min(12, step - 1), "labelLimit": 130, "ticks": False},
    }
    description = {"field": "label"}
    points = [{"name": column.name, "point": point} for column in columns for point in sorted(column.points)]
    return {
        "width": {"step": step},
        "height": HEIGHT,
        "data": {"values": values},
        "encoding": {"x": horizontal},
        "layer": [
            {
                "mark": {"type": "rule", "color": SOFT},
                "encoding": {
                    "y": {"field": "low", **vertical},
                    "y2": {"field": "high"},
                    "description": description,
                },
            },
            {
                "mark": {"type": "bar", "width": {"band": 0.56}, "opacity": 0.55},
                "encoding": {
                    "y": {"field": "lower", **vertical},
                    "y2": {"field": "upper"},
                    "color": colour,
                    "description": description,
                },
            },
            {
                "mark": {"type": "tick", "thickness": 2, "color": INK, "width": {"band": 0.8}},
                "encoding": {"y": {"field": "median", **vertical}, "description": description},
            },
            {
                "data": {"values": points},
                "mark": {"type": "point", "filled": True, "size": 16, "color": INK, "opacity": 0.6},
                "encoding": {"y": {"field": "point", **vertical}},
            },
        ],
    }


def vertical_axis(columns: Sequence[Distribution], style: Presentation) -> Axis:
    low, high = min(column.low for column in columns), max(column.high for column in columns)
    axis = axis_with_ticks(low, high, steps=steps_of(style), max_steps=MAX_STEPS)
    return axis if style.better == "higher" else axis.reversed


def datum(column: Distribution, y: str, digits: int) -> dict[str, Any]:
    median, low, high = (f"{figure:.{digits}f}" for figure in (column.median, column.low, column.high))
    label = f"{column.name}: {y} median {median}, from {low} to {high}"
    values = {name: value for name, value in asdict(column).items() if name != "points"}
    return {**values, "marked": column.is_highlighted, "label": label}
