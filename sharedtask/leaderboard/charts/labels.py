"""Which dots of a scatter plot have their names beside them: the highest, as far as nothing is covered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST = 24
LETTER, HALF_LINE, DISTANCE = 7.5, 8.0, 9.0
"""About the width of a letter, half the height of a line, and how far a name is from its dot, in pixels."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A dot in pixels, and whether its name goes to the right of it, where there is more room."""

    name: str
    x: float
    y: float
    to_the_right: bool

    @property
    def ends(self) -> tuple[float, float]:
        """Of its name, from left to right."""
        length = LETTER * len(self.name)
        if self.to_the_right:
            return self.x + DISTANCE, self.x + DISTANCE + length
        return self.x - DISTANCE - length, self.x - DISTANCE

    def covers(self, other: Place) -> bool:
        """Whether its name would lie on the other's dot."""
        left, right = self.ends
        return left <= other.x <= right and abs(self.y - other.y) < HALF_LINE

    def touches(self, other: Place) -> bool:
        """Whether their names would lie upon each other."""
        (left, right), (others_left, others_right) = self.ends, other.ends
        return left < others_right and others_left < right and abs(self.y - other.y) < 2 * HALF_LINE


def named(places: Sequence[Place]) -> list[Place]:
    """In pixels the highest has the smallest y."""
    chosen: list[Place] = []
    for one in sorted(places, key=lambda place: (place.y, place.name)):
        free = not any(one.covers(other) for other in places if other is not one)
        if free and not any(one.touches(other) for other in chosen) and len(chosen) < MOST:
            chosen.append(one)
    return chosen
