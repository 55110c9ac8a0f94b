"""The frame of a plot: axes with ticks, and the parts that are drawn inside it, as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ..showing.axis import axis_with_ticks, steps_of
from ..showing.glyphs import em_width

MARKERS = ("circle", "square", "triangle", "diamond", "cross", "ring")
MAX_STEPS = 5
_SIZE = 4.0
_FONT = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotAxis:
    """The range of one axis and its ticks; a logarithmic axis has the logarithms as its scale."""

    low: float
    high: float
    ticks: Sequence[float]
    title: str
    is_logarithmic: bool = False

    def share(self, value: float) -> float:
        low, high = self._scale(self.low), self._scale(self.high)
        return (self._scale(value) - low) / (high - low)

    def _scale(self, value: float) -> float:
        return math.log(value) if self.is_logarithmic else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A rectangle with two axes; positions are those of the inside."""

    left: float
    top: float
    width: float
    height: float
    across: PlotAxis
    up: PlotAxis

    def x(self, value: float) -> float:
        return self.left + self.width * self.across.share(value)

    def y(self, value: float) -> float:
        return self.top + self.height * (1 - self.up.share(value))

    def axes(self, title: str) -> list[str]:
        bottom = self.top + self.height
        parts = [text(self.left, self.top - 12, title, "title")]
        for tick in self.up.ticks:
            y = self.y(tick)
            parts.append(line(self.left, y, self.left + self.width, y, "grid"))
            parts.append(text(self.left - 6, y + 4, f"{tick:g}", anchor="end"))
        for tick in self.across.ticks:
            x = self.x(tick)
            parts.append(line(x, self.top, x, bottom, "grid"))
            parts.append(text(x, bottom + 16, f"{tick:g}", anchor="middle"))
        parts.append(
            f'<rect class="border" x="{self.left:.1f}" y="{self.top:.1f}" width="{self.width:.1f}" '
            f'height="{self.height:.1f}" fill="none" stroke="currentColor"/>'
        )
        parts.append(text(self.left + self.width / 2, bottom + 34, self.across.title, anchor="middle"))
        x, y = self.left - 36, self.top + self.height / 2
        parts.append(
            text(x, y, self.up.title, anchor="middle", more=f' transform="rotate(-90 {x:.1f} {y:.1f})"')
        )
        return parts

    def curve(self, xs: Sequence[float], ys: Sequence[float], name: str, marker: str = "") -> list[str]:
        """A line through points; a marker makes it recognisable without its colour."""
        points = [(self.x(x), self.y(y)) for x, y in zip(xs, ys, strict=True)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        drawn = [f'<polyline class="{name}" points="{path}" fill="none" stroke="currentColor"/>']
        return drawn + ([draw_marker(x, y, marker, name) for x, y in points] if marker else [])


def line(x1: float, y1: float, x2: float, y2: float, name: str) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line class="{name}" {ends} stroke="currentColor"/>'


def text(x: float, y: float, words: str, name: str = "", *, anchor: str = "start", more: str = "") -> str:
    css_class = f' class="{name}"' if name else ""
    return f'<text{css_class} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'


def draw_marker(x: float, y: float, marker: str, name: str) -> str:
    s = _SIZE
    if marker in ("circle", "ring"):
        return f'<circle class="marker {marker} {name}" cx="{x:.1f}" cy="{y:.1f}" r="{s:.1f}"/>'
    shapes = {
        "square": f"M{x - s:.1f} {y - s:.1f}h{2 * s}v{2 * s}h{-2 * s}z",
        "triangle": f"M{x:.1f} {y - s:.1f}l{s} {2 * s}h{-2 * s}z",
        "diamond": f"M{x:.1f} {y - s - 1:.1f}l{s + 1} {s + 1}l{-s - 1} {s + 1}l{-s - 1} {-s - 1}z",
        "cross": f"M{x - s:.1f} {y - s:.1f}l{2 * s} {2 * s}m0 {-2 * s}l{-2 * s} {2 * s}",
    }
    return f'<path class="marker {marker} {name}" d="{shapes[marker]}"/>'


class Labels:
    """Labels beside points; one that would cover another moves up or down."""

    def __init__(self) -> None:
        self._boxes: list[tuple[float, float, float]] = []

    def place(self, x: float, y: float, words: str, *, ends: bool = False) -> str:
        width = em_width(words) * _FONT + 3
        left = x - width if ends else x
        offsets = sorted(range(-5, 6), key=lambda n: (abs(n), n))
        row = next((y + 12 * n for n in offsets if self._is_free(left, width, y + 12 * n)), y)
        self._boxes.append((left, width, row))
        return text(x, row + 4, words, anchor="end" if ends else "start")

    def _is_free(self, left: float, width: float, y: float) -> bool:
        return all(
            left > other + size or other > left + width or abs(y - at) > 11 for other, size, at in self._boxes
        )


def round_ticks(low: float, high: float) -> list[float]:
    """Round numbers that enclose a range."""
    return axis_with_ticks(low, high, steps=steps_of(), max_steps=MAX_STEPS).tick_values()
