"""Strips: on one scale for all test sets, the spread of the field and where one system stands in it.

In: `OnSet`s. Out: places on the scale in per cent, as SVG takes them, so that a strip is as wide as its cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

from sharedtask.leaderboard.system.by_test_set import OnSet
from sharedtask.standings.precision import as_printed

STEP = 0.1
"""The scale begins and ends at tens of points, and is marked at them."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    low: float
    high: float

    def at(self, value: float) -> float:
        """In per cent; what lies outside stands at the edge. It tells no more than the printed figure."""
        inside = (as_printed(value) - self.low) / (self.high - self.low)
        return round(100 * min(max(inside, 0.0), 1.0), 2)

    @property
    def marks(self) -> list[tuple[float, int]]:
        """Place and figure of each mark, at most six of them."""
        steps = round((self.high - self.low) / STEP)
        every = ceil(steps / 5)
        values = [self.low + n * STEP for n in range(0, steps + 1, every)]
        return [(self.at(value), round(100 * value)) for value in values]


@dataclass(frozen=True, kw_only=True)
class Strip:
    on_set: OnSet
    own: float | None
    median: float
    box: tuple[float, float]
    """Where the middle half of the field begins, and how wide it is."""
    whole: tuple[float, float]
    best: float


def scale_of(values: Sequence[float], *, least: float = 0.0, most: float = 1.0) -> Scale:
    """Around the values, to full tens."""
    if not values:
        return Scale(low=least, high=most)
    # A figure on a mark is not moved to the next one by a rounding error.
    low = max(least, floor(as_printed(min(values)) / STEP + 1e-9) * STEP)
    high = min(most, ceil(as_printed(max(values)) / STEP - 1e-9) * STEP)
    return Scale(low=low, high=max(high, low + STEP))


def strips(sets: Sequence[OnSet]) -> tuple[Scale, list[Strip]]:
    known = [one for one in sets if one.among is not None]
    # The lowest of a field is often a failure; the scale begins where the middle half or the system does.
    shown = [value for one in known for value in seen(one)]
    scale = scale_of(shown)
    return scale, [strip(one, scale) for one in known]


def seen(one: OnSet) -> list[float]:
    assert one.among is not None
    own = [] if one.f1 is None else [one.f1]
    return [one.among.quartiles[0], one.among.best, *own]


def strip(one: OnSet, scale: Scale) -> Strip:
    assert one.among is not None
    first, third = (scale.at(value) for value in one.among.quartiles)
    lowest, highest = (scale.at(value) for value in one.among.ends)
    return Strip(
        on_set=one,
        own=None if one.f1 is None else scale.at(one.f1),
        median=scale.at(one.among.median),
        box=(first, round(third - first, 2)),
        whole=(lowest, highest),
        best=highest,
    )
