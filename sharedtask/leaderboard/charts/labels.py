"""Which dots of a scatter plot are labelled with their names: the highest ones whose label covers nothing.

A name is next to its dot, above it or below it, wherever there is room first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

Side = Literal["right", "left", "above", "below"]
SIDES: tuple[Side, ...] = ("right", "left", "above", "below")
MAX_LABELS = 24
LETTER_WIDTH, HALF_LINE, DISTANCE, RISE = 7.5, 8.0, 9.0, 15.0
"""In pixels: about the width of a letter, half the height of a line, and from a dot to the beginning of its
label next to it, or to the middle of its label above or below it."""


@dataclass(frozen=True, kw_only=True)
class Label:
    """The position of a dot in pixels, and the side of it on which its name is."""

    name: str
    x: float
    y: float
    side: Side = "right"

    @property
    def extent(self) -> tuple[float, float]:
        """Of the name, from left to right."""
        width = LETTER_WIDTH * len(self.name)
        if self.side == "right":
            return self.x + DISTANCE, self.x + DISTANCE + width
        if self.side == "left":
            return self.x - DISTANCE - width, self.x - DISTANCE
        return self.x - width / 2, self.x + width / 2

    @property
    def middle(self) -> float:
        """The height of the name."""
        return self.y + {"above": -RISE, "below": RISE}.get(self.side, 0.0)

    def covers_dot(self, other: Label) -> bool:
        left, right = self.extent
        return left <= other.x <= right and abs(self.middle - other.y) < HALF_LINE

    def overlaps(self, other: Label) -> bool:
        (left, right), (other_left, other_right) = self.extent, other.extent
        return left < other_right and other_left < right and abs(self.middle - other.middle) < 2 * HALF_LINE

    def fits(self, width: float, height: float) -> bool:
        left, right = self.extent
        return left >= 0 and right <= width and HALF_LINE <= self.middle <= height - HALF_LINE


def choose_labels(labels: Sequence[Label], *, width: float, height: float) -> list[Label]:
    """In a plot of this size, for those that have a name; the others are only in the way."""
    order = sorted((label for label in labels if label.name), key=lambda label: (label.y, label.name))
    from_top, from_bottom = (place(each, labels, width=width, height=height) for each in (order, order[::-1]))
    # The highest are the best systems, whose names matter most; but all names are better still.
    return from_bottom if len(from_top) < len(from_bottom) == len(order) else from_top


def place(order: Sequence[Label], dots: Sequence[Label], *, width: float, height: float) -> list[Label]:
    """One after the other, each where it covers neither a dot nor a name that has its place."""
    chosen: list[Label] = []
    for label in order:
        others = [dot for dot in dots if dot is not label]
        for placed in places(label, width):
            covers = any(placed.covers_dot(other) for other in others)
            overlaps = any(placed.overlaps(other) for other in chosen)
            if placed.fits(width, height) and not covers and not overlaps:
                chosen.append(placed)
                break
    return chosen[:MAX_LABELS]


def places(label: Label, width: float) -> Iterator[Label]:
    """The side with more room comes first."""
    nearest: tuple[Side, ...] = ("right", "left") if label.x < width / 2 else ("left", "right")
    for side in (*nearest, "above", "below"):
        yield replace(label, side=side)
