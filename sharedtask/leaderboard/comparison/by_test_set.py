"""Several systems on each test set, and of two of them the difference with its interval and p.

In: the field and the systems. Out: `Line`s, one a test set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation import Presentation
from evaluation.ranking.details import STATUSES
from evaluation.ranking.significance import LEVEL
from sharedtask.competition.models import TestSet
from sharedtask.leaderboard.system.field_stats import number
from sharedtask.standings.standing_view import Entrant, StandingView


@dataclass(frozen=True, kw_only=True)
class Score:
    who: Entrant
    f1: float | None
    status: str
    best: bool
    """None of the others here is above it, as far as they have a score."""


@dataclass(frozen=True, kw_only=True)
class Line:
    test_set: TestSet
    scores: tuple[Score, ...]
    difference: float | None
    """The first less the last; None where one of them has no score."""
    low: float | None
    high: float | None
    p: float | None
    """For the claim that the one which is higher here really is."""

    @property
    def significant(self) -> bool:
        return self.p is not None and self.p < LEVEL

    @property
    def spread(self) -> float | None:
        known = [score.f1 for score in self.scores if score.f1 is not None]
        return max(known) - min(known) if len(known) > 1 else None


def lines(field: StandingView, chosen: Sequence[Entrant], metric: str, scope: str) -> list[Line]:
    return [line(field, chosen, metric, field.test_sets[code]) for code in field.codes_of(scope)]


def line(field: StandingView, chosen: Sequence[Entrant], metric: str, test_set: TestSet) -> Line:
    figures, column = field.figures, field.column(test_set.code)
    measure = figures.metrics.index(metric)
    found = [number(figures.set_f1[who.index, column, measure]) for who in chosen]
    known = [value for value in found if value is not None]
    best = field.presentation(metric).best(known) if known else None
    first, last = found[0], found[-1]
    difference = None if first is None or last is None else first - last
    low, high, p = sureness(field, chosen[0], chosen[-1], metric, column, difference)
    return Line(
        test_set=test_set,
        scores=tuple(
            Score(
                who=who,
                f1=value,
                status=STATUSES[figures.set_status[who.index, column]],
                best=value is not None and value == best,
            )
            for who, value in zip(chosen, found, strict=True)
        ),
        difference=difference,
        low=low,
        high=high,
        p=p,
    )


def sureness(
    field: StandingView, one: Entrant, other: Entrant, metric: str, column: int, difference: float | None
) -> tuple[float | None, float | None, float | None]:
    """Interval of the difference, and p for whoever is higher; nothing for a metric that is not main."""
    figures = field.figures
    if metric not in figures.main or difference is None:
        return None, None, None
    measure = figures.main.index(metric)
    at = measure, column, one.index, other.index
    is_ahead = field.presentation(metric).advantage(difference, 0.0) >= 0
    higher, lower = (one, other) if is_ahead else (other, one)
    p = figures.set_p[measure, column, higher.index, lower.index]
    return number(figures.set_difference_low[at]), number(figures.set_difference_high[at]), number(p)


def in_order(found: Sequence[Line], asked: str, presentation: Presentation) -> list[Line]:
    """The largest difference for the first system first, of several systems the largest spread; or by set."""
    if asked == "set":
        return sorted(found, key=lambda one: one.test_set.code)
    if found and len(found[0].scores) > 2:
        return sorted(found, key=lambda one: (one.spread is None, -(one.spread or 0.0)))
    return sorted(
        found, key=lambda one: (one.difference is None, presentation.sort_key(one.difference or 0.0))
    )
