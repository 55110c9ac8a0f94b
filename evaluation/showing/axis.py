"""The one way to place values in a drawing: an axis from `low` to `high`, with its ticks.

Positions are shares of the axis' length, so that a drawing can grow with the page. Values are in any unit, as
long as it is the same for the whole axis. Where gold is secret, callers round them as they are printed: a
position must not reveal more than the printed figure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, inf, log10

import numpy as np

from ..scoring.presentation import PLAIN, Presentation

ROUNDING = 1e-9
"""A value on a tick must not be moved to the next one by an error of floating-point arithmetic."""
OUTLIER_DISTANCE = 2
"""In interquartile ranges from the worse quartile."""
MIN_QUARTILE_RANGE = 0.02
"""Of a figure before it is multiplied: half of the systems may have exactly the same one."""
MARGIN = 0.05
MIN_MARGIN = 0.01
MAX_STEPS = 7
MAX_EXPONENT = 6


@dataclass(frozen=True, kw_only=True)
class Tick:
    at: float
    """In percent of the axis."""
    label: str


@dataclass(frozen=True, kw_only=True)
class Axis:
    """`low` is where the axis begins; it may be the larger number, if lower figures are better."""

    low: float
    high: float
    step: float = 0.0
    """The distance between ticks; 0 for an axis without ticks."""

    @property
    def reversed(self) -> Axis:
        return replace(self, low=self.high, high=self.low)

    def clamp(self, value: float) -> float:
        return min(max(value, min(self.low, self.high)), max(self.low, self.high))

    def begins_after(self, value: float) -> bool:
        """Whether the value lies outside, at the beginning of the axis."""
        return value > self.low if self.high < self.low else value < self.low

    def position(self, value: float) -> float:
        """From 0 to 1; values outside are placed at the edge."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def percent(self, value: float) -> float:
        return round(100 * self.position(value), 2)

    def span(self, start: float, end: float) -> tuple[float, float]:
        """Where a bar begins, and its length, in percent."""
        begin = self.percent(start)
        return begin, round(self.percent(end) - begin, 2)

    def ticks(self, label: Callable[[float], str], *, max_ticks: float = inf) -> list[Tick]:
        """At multiples of the step; every second or third one where all would be too many."""
        values = self.tick_values(max_ticks=max_ticks)
        return [Tick(at=self.percent(value), label=label(value)) for value in values]

    def tick_values(self, *, max_ticks: float = inf) -> list[float]:
        """From the beginning of the axis. Multiples of the step, which the ends need not be."""
        low, high = sorted((self.low, self.high))
        first, last = ceil(low / self.step - ROUNDING), floor(high / self.step + ROUNDING)
        every = max(1, ceil((last - first) / (max_ticks - 1)))
        values = [number * self.step for number in range(first, last + 1, every)]
        return values[::-1] if self.high < self.low else values


def axis_without_outliers(points: Sequence[float], presentation: Presentation = PLAIN) -> Axis:
    """Around printed figures, except for those far worse than the others, which would squeeze the rest.

    It begins with the worst figure, has up to `MAX_STEPS` steps, and does not end at a tick.
    """
    if presentation.better == "lower":
        mirrored = axis_without_outliers([-value for value in points], replace(presentation, better="higher"))
        return replace(mirrored, low=-mirrored.low, high=-mirrored.high)
    lower, upper = np.quantile(points, [0.25, 0.75]).tolist()
    min_range = MIN_QUARTILE_RANGE * presentation.factor
    cutoff = lower - OUTLIER_DISTANCE * max(upper - lower, min_range)
    visible = [value for value in points if value >= cutoff]
    margin = MARGIN * (max(visible) - min(visible)) or MIN_MARGIN * presentation.factor
    low, high = min(visible) - margin, max(visible) + margin
    return Axis(low=low, high=high, step=choose_step(low, high, steps_of(presentation), MAX_STEPS))


def axis_with_ticks(low: float, high: float, *, steps: Sequence[float], max_steps: float = inf) -> Axis:
    """From tick to tick around both values, with the first of `steps` that gives few enough of them."""
    step = choose_step(low, high, steps, max_steps)
    first, last = floor(low / step + ROUNDING), ceil(high / step - ROUNDING)
    return Axis(low=first * step, high=max(last, first + 1) * step, step=step)


def choose_step(low: float, high: float, steps: Sequence[float], max_steps: float) -> float:
    return next((step for step in steps if (high - low) / step <= max_steps + ROUNDING), steps[-1])


def steps_of(presentation: Presentation = PLAIN) -> list[float]:
    """Round numbers, from five units of the last printed digit on."""
    exponents = range(-presentation.digits, MAX_EXPONENT)
    return [round(digit * 10.0**exponent, 9) for exponent in exponents for digit in (1, 2, 5)][2:]


def digits_of(step: float) -> int:
    """As many as the labels of an axis with this step need."""
    return max(0, -floor(log10(step) + ROUNDING))
