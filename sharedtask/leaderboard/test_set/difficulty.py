"""How hard a test set is for the field: the distribution of its figures, and its place among the test sets.

In: the field and a metric. Out: `Difficulty` of each test set by code, the hardest first: that with the
worst median. Only valid files count; one that is missing says nothing about the test set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from sharedtask.competition.models import TestSet
from sharedtask.standings.standing_view import Entrant, StandingView


@dataclass(frozen=True, kw_only=True)
class Difficulty:
    test_set: TestSet
    figures: tuple[float, ...]
    """Of each system that has one, as fractions."""
    low: float
    lower: float
    median: float
    upper: float
    high: float
    best: float
    worst: float
    winner: Entrant
    place: int = 0
    """1 for the hardest."""


def difficulties(field: StandingView, metric: str) -> Mapping[str, Difficulty]:
    found = [one for code in field.test_sets if (one := difficulty(field, metric, code)) is not None]
    key = field.presentation(metric).sort_key
    found.sort(key=lambda one: (-key(one.median), one.test_set.code))
    return {one.test_set.code: replace(one, place=place) for place, one in enumerate(found, start=1)}


def difficulty(field: StandingView, metric: str, code: str) -> Difficulty | None:
    """None where no system that was not withdrawn has a figure."""
    column = field.figures.set_f1[:, field.column(code), field.figures.metrics.index(metric)]
    there = [one for one in field.entrants if not one.withdrawn and not np.isnan(column[one.index])]
    if not there:
        return None
    figures = column[[one.index for one in there]]
    low, lower, median, upper, high = np.quantile(figures, [0, 0.25, 0.5, 0.75, 1]).tolist()
    presentation = field.presentation(metric)
    winner = min(there, key=lambda one: presentation.sort_key(float(column[one.index])))
    is_higher_better = presentation.better == "higher"
    return Difficulty(
        test_set=field.test_sets[code],
        figures=tuple(figures.tolist()),
        low=low,
        lower=lower,
        median=median,
        upper=upper,
        high=high,
        best=high if is_higher_better else low,
        worst=low if is_higher_better else high,
        winner=winner,
    )
