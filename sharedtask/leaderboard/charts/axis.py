"""The one way to place values in a drawing: an axis from `low` to `high`, with its ticks.

Positions are shares of the axis' length, so that a drawing can grow with the page. Values are in any unit, as
long as it is the same for the whole axis. Callers round them as they are printed (`standings/precision.py`):
a position must not reveal more than the printed figure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf

import numpy as np

ROUNDING = 1e-9
"""A value on a tick must not be moved to the next one by an error of floating-point arithmetic."""
OUTLIER_DISTANCE = 2
"""In interquartile ranges below the lower quartile."""
MIN_QUARTILE_RANGE = 2.0
"""In points: half of the systems may have exactly the same figure."""
MARGIN = 0.05


@dataclass(frozen=True, kw_only=True)
class Tick:
    at: float
    """In per cent of the axis."""
    label: str


@dataclass(frozen=True, kw_only=True)
class Axis:
    """`low` is where the axis begins; it may be the larger number, if lower figures are better."""

    low: float
    high: float
    step: float = 0.0
    """The distance between ticks; 0 for an axis without ticks."""

    def clamp(self, value: float) -> float:
        return min(max(value, self.low), self.high)

    def position(self, value: float) -> float:
        """From 0 to 1; values outside are placed at the edge."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def percent(self, value: float) -> float:
        return round(100 * self.position(value), 2)

    def span(self, start: float, end: float) -> tuple[float, float]:
        """Where a bar begins, and its length, in per cent."""
        begin = self.percent(start)
        return begin, round(self.percent(end) - begin, 2)

    def ticks(self, label: Callable[[float], str], *, max_ticks: float = inf) -> list[Tick]:
        """At multiples of the step; every second or third one where all would be too many."""
        first, last = round(self.low / self.step), round(self.high / self.step)
        every = max(1, ceil((last - first) / (max_ticks - 1)))
        values = [number * self.step for number in range(first, last + 1, every)]
        return [Tick(at=self.percent(value), label=label(value)) for value in values]


def axis_without_outliers(points: Sequence[float]) -> Axis:
    """Around the values, except for a few systems far below the others, which would squeeze the rest."""
    lower, upper = np.quantile(points, [0.25, 0.75]).tolist()
    cutoff = lower - OUTLIER_DISTANCE * max(upper - lower, MIN_QUARTILE_RANGE)
    visible = [value for value in points if value >= cutoff]
    margin = MARGIN * (max(visible) - min(visible)) or 1.0
    return Axis(low=min(visible) - margin, high=max(visible) + margin)


def axis_with_ticks(low: float, high: float, *, steps: Sequence[float], max_steps: float = inf) -> Axis:
    """From tick to tick around both values, with the first of `steps` that gives few enough of them."""
    step = next((step for step in steps if (high - low) / step <= max_steps + ROUNDING), steps[-1])
    first, last = floor(low / step + ROUNDING), ceil(high / step - ROUNDING)
    return Axis(low=first * step, high=max(last, first + 1) * step, step=step)
