"""The ranking on one test set: score, interval, ranks and significance lines; all other metrics.

In: the view, the code, a metric. Out: a `Ranking`: rows, the best first, and the systems without a valid
output.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation import Presentation
from evaluation.ranking.details import STATUSES
from evaluation.showing.axis import Axis, axis_without_outliers, digits_of
from sharedtask.standings.standing_view import Entrant, StandingView


@dataclass(frozen=True, kw_only=True)
class RankingRow:
    entrant: Entrant
    f1: float
    low: float | None
    high: float | None
    rank: int
    """0 if it has none: withdrawn, or a baseline in a task that does not rank baselines."""
    ranks: tuple[int, int] | None
    line_below: bool
    metrics: tuple[float, ...]
    """Figures by every metric of the profile."""
    other_main: tuple[str, ...]
    """Figures by `Ranking.other_main` as printed."""
    others: tuple[str, ...]
    """Figures by `Ranking.other_metrics` as printed."""

    def bar(self, axis: Axis, presentation: Presentation) -> tuple[float, float, float] | None:
        """Start and length of the interval, and the position of the score, in percent."""
        if self.low is None or self.high is None:
            return None
        ends = sorted(axis.percent(presentation.rounded(end)) for end in (self.low, self.high))
        return ends[0], round(ends[1] - ends[0], 2), axis.percent(presentation.rounded(self.f1))


@dataclass(frozen=True, kw_only=True)
class Ranking:
    rows: tuple[RankingRow, ...]
    other_main: tuple[str, ...]
    """The main metrics but the one that it is a ranking by; they have columns beside it."""
    other_metrics: tuple[str, ...]
    """All further ones; they have a table of their own, because a window is not wide enough for all."""
    presentation: Presentation
    axis: Axis | None
    """Of the bars; None if no system has a score."""
    too_small: bool
    """The test set has too few sentences or documents for intervals and tests."""
    without: tuple[tuple[Entrant, str], ...]
    """Systems without a valid output, and whether it is missing or invalid."""

    @property
    def axis_ends(self) -> list[str]:
        """As labels."""
        axis = self.axis
        return [f"{end:.{digits_of(axis.step)}f}" for end in (axis.low, axis.high)] if axis else []

    @property
    def rows_with_bars(self) -> list[tuple[RankingRow, tuple[float, float, float] | None]]:
        return [(row, row.bar(self.axis, self.presentation) if self.axis else None) for row in self.rows]


def ranking(view: StandingView, code: str, metric: str) -> Ranking:
    statuses = view.figures.set_status[:, view.set_index(code)]
    valid = [entrant for entrant in view.entrants if STATUSES[statuses[entrant.index]] == "valid"]
    rows = [ranking_row(view, code, metric, entrant) for entrant in valid]
    # Exactly equal figures have the order of the standing, in which its significance lines are drawn.
    presentation = view.presentation(metric)
    key = presentation.sort_key
    rows.sort(key=lambda row: (row.entrant.withdrawn, key(row.f1), row.entrant.id))
    without = [entrant for entrant in view.entrants if entrant not in valid]
    values = [value for row in rows for value in (row.low, row.f1, row.high) if value is not None]
    points = [presentation.rounded(value) for value in values]
    return Ranking(
        rows=tuple(rows),
        other_main=other_main(view, metric),
        other_metrics=other_metrics(view, metric),
        presentation=presentation,
        axis=axis_without_outliers(points, presentation) if points else None,
        too_small=bool(view.figures.set_too_small[view.set_index(code)]),
        without=tuple(
            (entrant, STATUSES[statuses[entrant.index]])
            for entrant in sorted(without, key=lambda entrant: entrant.name)
        ),
    )


def other_main(view: StandingView, metric: str) -> tuple[str, ...]:
    return tuple(name for name in view.figures.main if name != metric)


def other_metrics(view: StandingView, metric: str) -> tuple[str, ...]:
    return tuple(name for name in view.metrics if name not in (metric, *view.figures.main))


def ranking_row(view: StandingView, code: str, metric: str, entrant: Entrant) -> RankingRow:
    figures = view.figures
    set_index = view.set_index(code)
    at = entrant.index, set_index, view.metric_index(metric)
    has_interval = not np.isnan(figures.set_low[at])
    ranks = int(figures.set_rank_low[at]), int(figures.set_rank_high[at])
    by_metric = dict(zip(figures.metrics, figures.set_f1[entrant.index, set_index].tolist(), strict=True))
    texts = {name: view.presentation(name).text(value) for name, value in by_metric.items()}
    return RankingRow(
        entrant=entrant,
        f1=float(figures.set_f1[at]),
        low=float(figures.set_low[at]) if has_interval else None,
        high=float(figures.set_high[at]) if has_interval else None,
        rank=int(figures.set_rank[at]),
        ranks=ranks if all(ranks) else None,
        line_below=bool(figures.set_line_below[at]),
        metrics=tuple(by_metric.values()),
        other_main=tuple(texts[name] for name in other_main(view, metric)),
        others=tuple(texts[name] for name in other_metrics(view, metric)),
    )
