"""A system on each test set: every metric, its rank, and where it stands in the field.

In: the field, a system, a metric. Out: `OnSet`s in the order asked for, and the test sets on which it is
furthest above and furthest below the median of the field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evaluation import Presentation
from evaluation.ranking.details import STATUSES
from sharedtask.competition.models import TestSet
from sharedtask.leaderboard.system.field_stats import Among, among, ends, number
from sharedtask.standings.standing_view import Entrant, StandingView

NAMED = 3
"""So many test sets are named as strong ones and as weak ones."""


@dataclass(frozen=True, kw_only=True)
class OnSet:
    test_set: TestSet
    status: str
    f1: float | None
    low: float | None
    high: float | None
    rank: int | None
    ranks: tuple[int, int] | None
    among: Among | None
    """None where no system has a valid file."""
    metrics: Mapping[str, float | None]

    @property
    def from_median(self) -> float | None:
        return self.among.from_median if self.among else None

    @property
    def from_best(self) -> float | None:
        return self.among.from_best if self.among else None


def on_sets(field: StandingView, who: Entrant, metric: str) -> list[OnSet]:
    return [on_set(field, who, metric, one) for one in field.test_sets.values()]


def on_set(field: StandingView, who: Entrant, metric: str, test_set: TestSet) -> OnSet:
    figures = field.figures
    column, measure = field.column(test_set.code), figures.metrics.index(metric)
    at = who.index, column, measure
    every = figures.set_f1[who.index, column]
    return OnSet(
        test_set=test_set,
        status=STATUSES[figures.set_status[who.index, column]],
        f1=number(figures.set_f1[at]),
        low=number(figures.set_low[at]),
        high=number(figures.set_high[at]),
        rank=int(figures.set_rank[at]) or None,
        ranks=ends(figures.set_rank_low[at], figures.set_rank_high[at]),
        among=among(figures.set_f1[:, column, measure], field.ranked, who.index, field.presentation(metric)),
        metrics={name: number(value) for name, value in zip(figures.metrics, every, strict=True)},
    )


@dataclass(frozen=True, kw_only=True)
class Character:
    """Strong and weak test sets, each furthest from the median first; together never all twice."""

    strong: Sequence[OnSet]
    weak: Sequence[OnSet]


def character(sets: Sequence[OnSet], presentation: Presentation) -> Character:
    known = strongest_first([one for one in sets if one.from_median is not None], presentation)
    count = min(NAMED, len(known) // 2)
    return Character(strong=known[:count], weak=known[::-1][:count])


def strongest_first(sets: Sequence[OnSet], presentation: Presentation) -> list[OnSet]:
    """Those without a figure come last."""
    return sorted(
        sets, key=lambda one: (one.from_median is None, presentation.sort_key(one.from_median or 0.0))
    )


Key = Callable[[OnSet], float | str | None]
KEYS: dict[str, Key] = {
    "set": lambda one: one.test_set.code,
    "rank": lambda one: one.rank,
    "best": lambda one: one.from_best,
    "median": lambda one: one.from_median,
}


def in_order(sets: Sequence[OnSet], metrics: Sequence[str], asked: str) -> list[OnSet]:
    """By `median`, say, or by a metric; with a minus in front the highest first.

    The task's own order where nothing that exists is asked for.
    """
    name = asked.removeprefix("-")
    key = KEYS.get(name) or metric_key(metrics, name)
    if key is None:
        return list(sets)
    known = [one for one in sets if key(one) is not None]
    known.sort(key=key, reverse=asked.startswith("-"))  # type: ignore[arg-type]
    return known + [one for one in sets if key(one) is None]


def metric_key(metrics: Sequence[str], name: str) -> Key | None:
    if name not in metrics:
        return None
    return lambda one: one.metrics[name]
