"""The intervals of a leaderboard as a forest plot: a dot for the score, a bar for its 95% interval.

In: a `Board`. Out: positions in percent of the axis, for an SVG that grows with the page while its text
keeps its size. The worst are on the left. A few systems far worse than all others would squeeze the rest:
they are marked at the edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan
from statistics import median

from evaluation import Presentation
from evaluation.showing.axis import MAX_STEPS, Axis, Tick, axis_with_ticks, digits_of, steps_of
from sharedtask.leaderboard.board.build import Board
from sharedtask.leaderboard.board.rows import BoardRow

ROW_HEIGHT, TOP = 24, 26
"""In pixels; `TOP` is the space above the first row."""
FAR = 3
"""A system is far from the best at this multiple of the median's distance from the best."""


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
    axis = forest_axis([interval(board, row) for row in rows], board.presentation)
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
    return board.presentation.rounded(float(getattr(view.figures, name)[position]))


def interval(board: Board, row: BoardRow) -> tuple[float, float, float]:
    """Its lower end, the score and its upper end; without replicates all three are the score."""
    score, low, high = (points(board, row, name) for name in ("f1", "low", "high"))
    return score if isnan(low) else low, score, score if isnan(high) else high


def forest_axis(intervals: Sequence[tuple[float, float, float]], presentation: Presentation) -> Axis:
    """It begins with the worst figure that is not far from the best."""
    if presentation.better == "lower":
        mirrored = [(-high, -score, -low) for low, score, high in intervals]
        axis = forest_axis(mirrored, replace(presentation, better="higher"))
        return replace(axis, low=-axis.low, high=-axis.high)
    best = max(high for _, _, high in intervals)
    far = best - FAR * (best - median(score for _, score, _ in intervals))
    low = min((low for low, score, _ in intervals if score >= far), default=best)
    return axis_with_ticks(low, best, steps=steps_of(presentation), max_steps=MAX_STEPS)


def forest_ticks(axis: Axis) -> list[Tick]:
    digits = digits_of(axis.step)
    return axis.ticks(lambda value: f"{value:.{digits}f}")


def forest_mark(board: Board, row: BoardRow, number: int, axis: Axis) -> ForestMark:
    low, score, high = interval(board, row)
    return ForestMark(
        row=row,
        y=TOP + ROW_HEIGHT * number + ROW_HEIGHT // 2,
        low=axis.percent(low),
        point=axis.percent(score),
        high=axis.percent(high),
        is_far=axis.begins_after(score),
        has_interval=low < high,
    )
