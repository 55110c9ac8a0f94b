"""From where to where an axis goes. It leaves out a few that failed, who would press all others together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

FAR = 2
"""So many times the distance of the quartiles below the lower one begins what stands at the edge."""
LEAST = 2.0
"""The least distance of quartiles, in points: half of the field may have exactly the same figure."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """In points of F1, with a little room around what is shown."""

    low: float
    high: float

    def inside(self, value: float) -> float:
        return min(max(value, self.low), self.high)

    def at(self, value: float) -> float:
        """The place between the ends, from 0 to 1; what lies outside stands at the edge."""
        return (self.inside(value) - self.low) / (self.high - self.low)


def axis_of(values: Sequence[float]) -> Axis:
    lower, upper = np.quantile(values, [0.25, 0.75]).tolist()
    end = lower - FAR * max(upper - lower, LEAST)
    near = [value for value in values if value >= end]
    room = 0.05 * (max(near) - min(near)) or 1.0
    return Axis(low=min(near) - room, high=max(near) + room)
