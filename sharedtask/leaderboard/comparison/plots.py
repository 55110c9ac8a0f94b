"""Differences on test sets as they are drawn: places in per cent on a scale with nought in its middle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from sharedtask.leaderboard.comparison.by_test_set import Line
from sharedtask.leaderboard.system.strips import Scale, scale_of
from sharedtask.standings.precision import as_printed

STEPS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Marks on a scale of differences stand at such distances, so that there are at most four on each side."""


ROOM = 1.25
"""A little more than half of the intervals need, so that most of them fit."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One line as it is drawn, in per cent of the width."""

    line: Line
    at: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class Axis:
    zero: float
    marks: tuple[tuple[float, str], ...]


def drawn(found: Sequence[Line]) -> tuple[Axis, list[Difference]]:
    """A scale with nought in its middle, wide enough for every difference and for most of the intervals.

    One that is far longer than the others, of a very small test set, is cut off at the edge.
    """
    ends = sorted(abs(as_printed(end)) for one in found for end in (one.low, one.high) if end is not None)
    usual = ends[len(ends) // 2] * ROOM if ends else 0.0
    widest = max([usual, *(abs(as_printed(one.difference)) for one in found if one.difference is not None)])
    step = next((one for one in STEPS if widest <= 4 * one), STEPS[-1])
    count = max(ceil(widest / step - 1e-9), 1)
    scale = Scale(low=-count * step, high=count * step)
    marks = tuple((scale.at(n * step), figure(n * step)) for n in range(-count, count + 1))
    return Axis(zero=scale.at(0.0), marks=marks), [placed(one, scale) for one in found]


def figure(value: float) -> str:
    """A mark in points, with a sign as wide as a plus."""
    return f"{100 * value:+g}".replace("-", "\N{MINUS SIGN}") if value else "0"


def placed(one: Line, scale: Scale) -> Difference:
    at, low, high = (
        None if value is None else scale.at(value) for value in (one.difference, one.low, one.high)
    )
    return Difference(line=one, at=at, low=low, high=high)


def spread(found: Sequence[Line]) -> tuple[Scale, list[tuple[Line, list[tuple[int, float]]]]]:
    """Of several systems the figures themselves: with each line the number and place of each system in it."""
    scale = scale_of([score.f1 for one in found for score in one.scores if score.f1 is not None])
    return scale, [
        (one, [(n, scale.at(score.f1)) for n, score in enumerate(one.scores, 1) if score.f1 is not None])
        for one in found
    ]
