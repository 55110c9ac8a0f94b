"""Which dots of a scatter plot are labelled with their names: the highest ones whose label covers nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MAX_LABELS = 24
LETTER_WIDTH, HALF_LINE, DISTANCE = 7.5, 8.0, 9.0
"""In pixels: about the width of a letter, half the height of a line, and from a dot to its label."""


@dataclass(frozen=True, kw_only=True)
class Label:
    """The position of a dot in pixels, and the side of it that has more room for its name."""

    name: str
    x: float
    y: float
    on_right: bool

    @property
    def extent(self) -> tuple[float, float]:
        """Of the name, from left to right."""
        width = LETTER_WIDTH * len(self.name)
        if self.on_right:
            return self.x + DISTANCE, self.x + DISTANCE + width
        return self.x - DISTANCE - width, self.x - DISTANCE

    def covers_dot(self, other: Label) -> bool:
        left, right = self.extent
        return left <= other.x <= right and abs(self.y - other.y) < HALF_LINE

    def overlaps(self, other: Label) -> bool:
        (left, right), (other_left, other_right) = self.extent, other.extent
        return left < other_right and other_left < right and abs(self.y - other.y) < 2 * HALF_LINE


def choose_labels(labels: Sequence[Label]) -> list[Label]:
    """From the top; the smallest y is the highest."""
    chosen: list[Label] = []
    for label in sorted(labels, key=lambda label: (label.y, label.name)):
        covers = any(label.covers_dot(other) for other in labels if other is not label)
        overlaps = any(label.overlaps(other) for other in chosen)
        if not covers and not overlaps and len(chosen) < MAX_LABELS:
            chosen.append(label)
    return chosen
