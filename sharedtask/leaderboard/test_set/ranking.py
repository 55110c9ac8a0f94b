"""The ranking on one test set: figure, interval, ranks and significance lines, and all other metrics.

In: the field, the code, a metric. Out: `Line`s, the best first; those without a valid file are told apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.ranking.details import STATUSES
from sharedtask.leaderboard.charts.axis import Axis, axis_of
from sharedtask.standings.precision import as_printed
from sharedtask.standings.standing_view import Entrant, StandingView


@dataclass(frozen=True, kw_only=True)
class Line:
    entrant: Entrant
    f1: float
    low: float | None
    high: float | None
    rank: int
    """0 where it has none: withdrawn, or a baseline where the task says so."""
    ranks: tuple[int, int] | None
    line_below: bool
    metrics: tuple[float, ...]
    """Figures by every metric of the profile."""
    texts: tuple[tuple[str, bool], ...]
    """The same as printed, in the order of `StandingView.metrics`, with whether the metric ranks."""

    def bar(self, axis: Axis) -> tuple[float, float, float] | None:
        """Where the interval begins, how long it is, and where the figure stands, out of 100."""
        if self.low is None or self.high is None:
            return None
        low, high, at = (round(100 * axis.at(points(value)), 2) for value in (self.low, self.high, self.f1))
        return low, round(high - low, 2), at


@dataclass(frozen=True, kw_only=True)
class Ranking:
    lines: tuple[Line, ...]
    axis: Axis | None
    """Of the bars; what failed altogether stands at its edge. None where nobody has a figure."""
    without: tuple[tuple[Entrant, str], ...]
    """Who has no valid file, and whether it is missing or invalid."""

    @property
    def rows(self) -> list[tuple[Line, tuple[float, float, float] | None]]:
        """Each line with its bar."""
        return [(line, line.bar(self.axis) if self.axis else None) for line in self.lines]


def ranking(field: StandingView, code: str, metric: str) -> Ranking:
    statuses = field.figures.set_status[:, field.column(code)]
    valid = [one for one in field.entrants if STATUSES[statuses[one.index]] == "valid"]
    lines = [line(field, code, metric, one) for one in valid]
    # Exactly equal figures have the order of the standing, which is the one its lines are drawn in.
    key = field.presentation(metric).sort_key
    lines.sort(key=lambda one: (one.entrant.withdrawn, key(one.f1), one.entrant.id))
    without = [one for one in field.entrants if one not in valid]
    ends = [points(value) for one in lines for value in (one.low, one.f1, one.high) if value is not None]
    return Ranking(
        lines=tuple(lines),
        axis=axis_of(ends) if ends else None,
        without=tuple(
            (one, STATUSES[statuses[one.index]]) for one in sorted(without, key=lambda one: one.name)
        ),
    )


def points(fraction: float) -> float:
    return 100 * as_printed(fraction)


def line(field: StandingView, code: str, metric: str, who: Entrant) -> Line:
    figures = field.figures
    column = field.column(code)
    at = who.index, column, figures.metrics.index(metric)
    has_interval = not np.isnan(figures.set_low[at])
    ranks = int(figures.set_rank_low[at]), int(figures.set_rank_high[at])
    return Line(
        entrant=who,
        f1=float(figures.set_f1[at]),
        low=float(figures.set_low[at]) if has_interval else None,
        high=float(figures.set_high[at]) if has_interval else None,
        rank=int(figures.set_rank[at]),
        ranks=ranks if all(ranks) else None,
        line_below=bool(figures.set_line_below[at]),
        metrics=tuple(figures.set_f1[who.index, column].tolist()),
        texts=tuple(
            (
                field.presentation(name).text(figures.set_f1[who.index, column, figures.metrics.index(name)]),
                name in figures.main,
            )
            for name in field.metrics
        ),
    )
