"""The columns of a leaderboard, and the order of its rows by any of them.

In: the figures of a standing, with the metric and the scope that are asked for. Out: for each column its
heading, and for each system the value that rows are sorted by. Whatever has no value comes last, whichever
way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from evaluation import Presentation, Profile
from evaluation.ranking.details import Details
from evaluation.ranking.results import EVERYTHING

GROUP = "group:"
DEFAULT = "rank"


@dataclass(frozen=True, kw_only=True)
class Column:
    id: str
    """Its name in an address."""
    head: str
    kind: str
    """`rank`, `team`, `main`, `interval`, `range`, `figure` or `group`."""
    is_main: bool = False
    """Whether it shows a metric that ranks."""
    above: str = ""
    """A smaller word above the head: the metric, where the head is a group."""
    descends: bool = False
    """Whether the first click puts the highest value on top."""


@dataclass(frozen=True, kw_only=True)
class Slice:
    """The figures of one metric in one scope, and where they stand in the arrays."""

    figures: Details
    profile: Profile
    metric: str
    scope: str

    @property
    def presentation(self) -> Presentation:
        return self.profile.presentations[self.metric]

    @property
    def at(self) -> tuple[slice, int, int]:
        return slice(None), self.figures.scopes.index(self.scope), self.figures.metrics.index(self.metric)

    def f1(self, system: int, metric: str, scope: str) -> float:
        figures = self.figures
        return float(figures.f1[system, figures.scopes.index(scope), figures.metrics.index(metric)])


def columns_of(shown: Slice, others: Sequence[str], groups: Sequence[str]) -> tuple[Column, ...]:
    """Averages over groups stand beside those over everything, and nowhere else."""
    metric = shown.metric
    descends = shown.presentation.better == "higher"
    return (
        Column(id=DEFAULT, head="Rank", kind="rank"),
        Column(id="team", head="Team", kind="team"),
        Column(id=metric, head=metric, kind="main", is_main=metric in shown.figures.main, descends=descends),
        Column(id="interval", head="95 % interval", kind="interval", descends=descends),
        Column(id="ranks", head="Ranks", kind="range"),
        *(
            Column(
                id=name,
                head=name,
                kind="figure",
                is_main=name in shown.figures.main,
                descends=shown.profile.presentations[name].better == "higher",
            )
            for name in others
            if name != metric
        ),
        *(
            Column(id=GROUP + name, head=name, kind="group", above=metric, descends=descends)
            for name in groups
            if shown.scope == EVERYTHING
        ),
    )


def values_of(
    column: str, shown: Slice, names: Mapping[int, str]
) -> Callable[[int], tuple[float | str, ...]]:
    """A function from the place of a system in the arrays to what it is sorted by."""
    at, figures = shown.at, shown.figures
    low, rank_low, rank_high = figures.low[at], figures.rank_low[at], figures.rank_high[at]
    if column == "team":
        return lambda system: (names[system].casefold(),)
    if column == "interval":
        return lambda system: (float(low[system]),)
    if column == "ranks":
        return lambda system: (float(rank_low[system] or "nan"), float(rank_high[system]))
    if column.startswith(GROUP):
        return lambda system: (shown.f1(system, shown.metric, column.removeprefix(GROUP)),)
    # Ranks are given by unrounded figures, and what has no rank keeps its place among the others.
    if column == DEFAULT:
        key = shown.presentation.sort_key
        return lambda system: (key(shown.f1(system, shown.metric, shown.scope)),)
    return lambda system: (shown.f1(system, column, shown.scope),)


def in_order(systems: Sequence[int], sort: str, shown: Slice, names: Mapping[int, str]) -> list[int]:
    """`sort` is a column, with a minus in front the other way round; equal ones stand by name."""
    value = values_of(sort.removeprefix("-") or DEFAULT, shown, names)
    by_name = sorted(systems, key=lambda system: names[system].casefold())
    known = [system for system in by_name if not is_nothing(value(system))]
    nothing = [system for system in by_name if is_nothing(value(system))]
    return sorted(known, key=value, reverse=sort.startswith("-")) + nothing


def is_nothing(value: tuple[float | str, ...]) -> bool:
    return isinstance(value[0], float) and isnan(value[0])
