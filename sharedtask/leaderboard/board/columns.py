"""The columns of a leaderboard, and the order of its rows by any of them.

In: the figures of a standing by one metric in one scope. Out: for each column its heading, and for each
system the value that rows are sorted by. Systems without a value come last in either direction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from evaluation import Presentation
from evaluation.ranking.details import Details
from evaluation.ranking.results import EVERYTHING
from sharedtask.standings.standing_view import StandingView

GROUP = "group:"
DEFAULT = "rank"

SortValue = tuple[float | str, ...]


@dataclass(frozen=True, kw_only=True)
class BoardColumn:
    id: str
    """Its name in an address."""
    head: str
    kind: str
    """`rank`, `team`, `main`, `interval`, `range`, `figure` or `group`."""
    is_main: bool = False
    """Whether it shows a metric that ranks."""
    above: str = ""
    """A smaller line above the head: the metric, if the head is a group."""
    descends: bool = False
    """Whether the first click sorts the highest value first."""

    @property
    def css_class(self) -> str:
        if self.kind in ("main", "group"):
            return f"{self.kind} figure"
        return f"{self.kind} also-main" if self.is_main else self.kind


@dataclass(frozen=True, kw_only=True)
class MetricScores:
    """The figures by one metric in one scope, and their place in the arrays."""

    view: StandingView
    metric: str
    scope: str

    @property
    def figures(self) -> Details:
        return self.view.figures

    @property
    def presentation(self) -> Presentation:
        return self.view.presentation(self.metric)

    @property
    def position(self) -> tuple[int, int]:
        """After the index of a system."""
        return self.view.scope_index(self.scope), self.view.metric_index(self.metric)

    def column(self, figures: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """One value for each system, of an array of systems, scopes and metrics."""
        return figures[:, *self.position]

    def f1(self, system: int, metric: str, scope: str) -> float:
        return float(self.figures.f1[system, self.view.scope_index(scope), self.view.metric_index(metric)])


def columns_of(scores: MetricScores) -> tuple[BoardColumn, ...]:
    """Columns for groups only if the scope is all test sets."""
    table = scores.view.standing.table
    metric = scores.metric
    main = scores.figures.main
    descends = scores.presentation.better == "higher"
    return (
        BoardColumn(id=DEFAULT, head="Rank", kind="rank"),
        BoardColumn(id="team", head="Team", kind="team"),
        BoardColumn(id=metric, head=metric, kind="main", is_main=metric in main, descends=descends),
        BoardColumn(id="interval", head="95% interval", kind="interval", descends=descends),
        BoardColumn(id="ranks", head="Ranks", kind="range"),
        *(
            BoardColumn(
                id=name,
                head=name,
                kind="figure",
                is_main=name in main,
                descends=scores.view.presentation(name).better == "higher",
            )
            for name in table["columns"]
            if name != metric
        ),
        *(
            BoardColumn(id=GROUP + name, head=name, kind="group", above=metric, descends=descends)
            for name in table["groups"]
            if scores.scope == EVERYTHING
        ),
    )


def sort_value(column: str, scores: MetricScores, names: Mapping[int, str]) -> Callable[[int], SortValue]:
    """A function from the index of a system in the arrays to the value that it is sorted by."""
    figures = scores.figures
    low, rank_low = scores.column(figures.low), scores.column(figures.rank_low)
    rank_high = scores.column(figures.rank_high)
    if column == "team":
        return lambda system: (names[system].casefold(),)
    if column == "interval":
        return lambda system: (float(low[system]),)
    if column == "ranks":
        return lambda system: (float(rank_low[system] or "nan"), float(rank_high[system]))
    if column.startswith(GROUP):
        return lambda system: (scores.f1(system, scores.metric, column.removeprefix(GROUP)),)
    # By unrounded figures, as ranks are; systems without a rank are sorted in between.
    if column == DEFAULT:
        key = scores.presentation.sort_key
        return lambda system: (key(scores.f1(system, scores.metric, scores.scope)),)
    return lambda system: (scores.f1(system, column, scores.scope),)


def sort_systems(
    systems: Sequence[int], sort: str, scores: MetricScores, names: Mapping[int, str]
) -> list[int]:
    """`sort` is a column, with a minus in front descending; equal values are sorted by name."""
    value = sort_value(sort.removeprefix("-") or DEFAULT, scores, names)
    by_name = sorted(systems, key=lambda system: names[system].casefold())
    known = [system for system in by_name if not is_missing(value(system))]
    missing = [system for system in by_name if is_missing(value(system))]
    return sorted(known, key=value, reverse=sort.startswith("-")) + missing


def is_missing(value: SortValue) -> bool:
    return isinstance(value[0], float) and isnan(value[0])
