"""The intervals of a leaderboard as a forest plot: a dot for the score, a bar for its 95 % interval.

In: a `Board`. Out: positions in per cent of the axis, for an SVG that grows with the page while its text
keeps its size. A few systems far below all others would squeeze the rest: they are marked at the edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from statistics import median

from sharedtask.leaderboard.board.build import Board
from sharedtask.leaderboard.board.rows import BoardRow
from sharedtask.leaderboard.charts.axis import Axis, Tick, axis_with_ticks
from sharedtask.standings.precision import as_printed

ROW_HEIGHT, TOP = 24, 26
"""In pixels; `TOP` is the space above the first row."""
STEPS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20)
MAX_STEPS = 7
FAR = 3
"""A system is far below the best at this multiple of the median's distance from the best."""


@dataclass(frozen=True, kw_only=True)
class ForestMark:
    row: BoardRow
    y: int
    point: float
    low: float
    high: float
    is_far: bool
    """The score lies to the left of the axis."""
    has_interval: bool


@dataclass(frozen=True, kw_only=True)
class Forest:
    marks: Sequence[ForestMark]
    ticks: Sequence[Tick]
    lines: Sequence[int]
    """The heights of lines between rows that differ significantly."""
    height: int

    @property
    def has_far(self) -> bool:
        return any(mark.is_far for mark in self.marks)


def forest(board: Board) -> Forest | None:
    """None if there is nothing to compare."""
    rows = [row for row in board.rows if not isnan(points(board, row, "f1"))]
    if len(rows) < 2:
        return None
    axis = forest_axis([interval(board, row) for row in rows])
    return Forest(
        marks=[forest_mark(board, row, number, axis) for number, row in enumerate(rows)],
        ticks=forest_ticks(axis),
        lines=[TOP + ROW_HEIGHT * (number + 1) for number, row in enumerate(rows) if row.line_below],
        height=TOP + ROW_HEIGHT * len(rows) + 6,
    )


def points(board: Board, row: BoardRow, name: str) -> float:
    """As printed."""
    assert board.view is not None
    view = board.view
    position = row.entrant.index, view.scope_index(board.scope), view.metric_index(board.metric)
    return 100 * as_printed(float(getattr(view.figures, name)[position]))


def interval(board: Board, row: BoardRow) -> tuple[float, float, float]:
    """Its lower end, the score and its upper end; without replicates all three are the score."""
    score, low, high = (points(board, row, name) for name in ("f1", "low", "high"))
    return score if isnan(low) else low, score, score if isnan(high) else high


def forest_axis(intervals: Sequence[tuple[float, float, float]]) -> Axis:
    best = max(high for _, _, high in intervals)
    far = best - FAR * (best - median(score for _, score, _ in intervals))
    low = min((low for low, score, _ in intervals if score >= far), default=best)
    return axis_with_ticks(low, best, steps=STEPS, max_steps=MAX_STEPS)


def forest_ticks(axis: Axis) -> list[Tick]:
    digits = 0 if axis.step >= 1 else 2 if axis.step < 0.1 else 1
    return axis.ticks(lambda value: f"{value:.{digits}f}")


def forest_mark(board: Board, row: BoardRow, number: int, axis: Axis) -> ForestMark:
    low, score, high = interval(board, row)
    return ForestMark(
        row=row,
        y=TOP + ROW_HEIGHT * number + ROW_HEIGHT // 2,
        low=axis.percent(low),
        point=axis.percent(score),
        high=axis.percent(high),
        is_far=score < axis.low,
        has_interval=low < high,
    )
