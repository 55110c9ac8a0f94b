"""The intervals of a leaderboard as a forest plot: a dot for the figure, a bar for its 95 % interval.

In: a `Board`. Out: places on a scale in per cent of its width, for an SVG that grows with the page while its
letters keep their size. A few systems far below all others would press the rest together: the scale leaves
them out, and they are marked at its edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isnan
from statistics import median

from sharedtask.leaderboard.board.build import Board
from sharedtask.leaderboard.board.rows import Row
from sharedtask.standings.precision import as_printed

ROW, TOP = 24, 26
"""Heights in pixels: of a row, and of what stands above the first one."""
STEPS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20)
MOST_TICKS = 7
FAR = 3
"""So many times the distance from the best to the median below the best is far."""


@dataclass(frozen=True, kw_only=True)
class Mark:
    row: Row
    y: int
    point: str
    low: str
    high: str
    is_far: bool
    """The figure lies to the left of the scale."""
    has_interval: bool


@dataclass(frozen=True, kw_only=True)
class Tick:
    x: str
    words: str


@dataclass(frozen=True, kw_only=True)
class Forest:
    marks: Sequence[Mark]
    ticks: Sequence[Tick]
    lines: Sequence[int]
    """Where a line separates two rows that differ significantly."""
    height: int

    @property
    def has_far(self) -> bool:
        return any(mark.is_far for mark in self.marks)


@dataclass(frozen=True, kw_only=True)
class Scale:
    low: float
    high: float

    def place(self, points: float) -> float:
        return max(0.0, min(100.0, 100 * (points - self.low) / (self.high - self.low)))


def forest(board: Board) -> Forest | None:
    """None where there is nothing to compare."""
    rows = [row for row in board.rows if not isnan(figure(board, row, "f1"))]
    if len(rows) < 2:
        return None
    scale, step = scale_of(board, rows)
    ticks = [scale.low + step * number for number in range(round((scale.high - scale.low) / step) + 1)]
    digits = 0 if step >= 1 else 2 if step < 0.1 else 1
    return Forest(
        marks=[mark(board, row, number, scale) for number, row in enumerate(rows)],
        ticks=[Tick(x=f"{scale.place(tick):.2f}%", words=f"{tick:.{digits}f}") for tick in ticks],
        lines=[TOP + ROW * (number + 1) for number, row in enumerate(rows) if row.line_below],
        height=TOP + ROW * len(rows) + 6,
    )


def figure(board: Board, row: Row, name: str) -> float:
    """In points, as printed."""
    assert board.figures is not None
    figures = board.figures
    at = row.index, figures.scopes.index(board.scope), figures.metrics.index(board.metric)
    return 100 * as_printed(float(getattr(figures, name)[at]))


def ends(board: Board, row: Row) -> tuple[float, float, float]:
    """The lower end, the figure and the upper end; without replicates all three are the figure."""
    point, low, high = (figure(board, row, name) for name in ("f1", "low", "high"))
    return point if isnan(low) else low, point, point if isnan(high) else high


def scale_of(board: Board, rows: Sequence[Row]) -> tuple[Scale, float]:
    found = [ends(board, row) for row in rows]
    best = max(high for _, _, high in found)
    far = best - FAR * (best - median(point for _, point, _ in found))
    low = min((low for low, point, _ in found if point >= far), default=best)
    step = next((step for step in STEPS if (best - low) / step <= MOST_TICKS), STEPS[-1])
    first, last = floor(low / step) * step, ceil(best / step) * step
    return Scale(low=first, high=last if last > first else first + step), step


def mark(board: Board, row: Row, number: int, scale: Scale) -> Mark:
    low, point, high = ends(board, row)
    return Mark(
        row=row,
        y=TOP + ROW * number + ROW // 2,
        low=f"{scale.place(low):.2f}%",
        point=f"{scale.place(point):.2f}%",
        high=f"{scale.place(high):.2f}%",
        is_far=point < scale.low,
        has_interval=low < high,
    )
