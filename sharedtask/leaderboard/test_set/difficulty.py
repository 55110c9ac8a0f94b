"""How hard a test set is: the distribution of all systems' figures, and its place among the test sets.

In: the view and a metric. Out: the `Difficulty` of each test set by code, hardest first: worst median first.
Only valid outputs count; a missing one says nothing about the test set.
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


def difficulties(view: StandingView, metric: str) -> Mapping[str, Difficulty]:
    by_code = {code: difficulty(view, metric, code) for code in view.test_sets}
    key = view.presentation(metric).sort_key
    hardest_first = sorted(
        (difficulty for difficulty in by_code.values() if difficulty is not None),
        key=lambda difficulty: (-key(difficulty.median), difficulty.test_set.code),
    )
    return {
        difficulty.test_set.code: replace(difficulty, place=place)
        for place, difficulty in enumerate(hardest_first, start=1)
    }


def difficulty(view: StandingView, metric: str, code: str) -> Difficulty | None:
    """None if no system has a figure, apart from withdrawn ones."""
    column = view.figures.set_f1[:, view.set_index(code), view.metric_index(metric)]
    scored = [
        entrant for entrant in view.entrants if not entrant.withdrawn and not np.isnan(column[entrant.index])
    ]
    if not scored:
        return None
    figures = column[[entrant.index for entrant in scored]]
    low, lower, median, upper, high = np.quantile(figures, [0, 0.25, 0.5, 0.75, 1]).tolist()
    presentation = view.presentation(metric)
    winner = min(scored, key=lambda entrant: presentation.sort_key(float(column[entrant.index])))
    is_higher_better = presentation.better == "higher"
    return Difficulty(
        test_set=view.test_sets[code],
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
