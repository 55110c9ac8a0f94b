"""What the cells of the matrix can show: the figure, the rank, the distance from the best or from a baseline.

In: the field, a metric, the test sets. Out: an array of systems × test sets, NaN where there is no figure.
Distances are differences of figures; the best of a test set is the best system that was not withdrawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from math import isnan

import numpy as np

from evaluation import Presentation
from evaluation.ranking.tails import Floats
from sharedtask.leaderboard.templatetags import printing
from sharedtask.standings.standing_view import Entrant, StandingView


class Shown(StrEnum):
    F1 = "f1"
    RANK = "rank"
    BEST = "best"
    BASELINE = "baseline"

    @property
    def words(self) -> str:
        return WORDS[self]


WORDS = {
    Shown.F1: "figure",
    Shown.RANK: "rank",
    Shown.BEST: "distance from the best",
    Shown.BASELINE: "distance from a baseline",
}


def is_lower_better(shown: Shown, presentation: Presentation) -> bool:
    return shown is Shown.RANK or presentation.better == "lower"


def values_of(
    field: StandingView, shown: Shown, metric: str, codes: Sequence[str], baseline: Entrant | None
) -> Floats:
    columns, measure = [field.column(code) for code in codes], field.figures.metrics.index(metric)
    if shown is Shown.RANK:
        ranks = field.figures.set_rank[:, columns, measure].astype(np.float64)
        return np.where(ranks == 0, np.nan, ranks)
    f1 = field.figures.set_f1[:, columns, measure]
    if shown is Shown.BEST:
        return f1 - best_of(f1[field.ranked], field.presentation(metric))
    if shown is Shown.BASELINE:
        return f1 - f1[baseline.index] if baseline else np.full(f1.shape, np.nan)
    return f1


def best_of(figures: Floats, presentation: Presentation) -> Floats:
    """The best of each column; NaN where nobody has a figure."""
    if presentation.better == "lower":
        return -best_of(-figures, replace(presentation, better="higher"))
    highest = np.max(np.where(np.isnan(figures), -np.inf, figures), axis=0, initial=-np.inf)
    return np.where(np.isinf(highest), np.nan, highest)


def printed(shown: Shown, value: float, presentation: Presentation, *, decimals: int = 0) -> str:
    """The decimals are those of ranks; figures have those of their metric."""
    if isnan(value):
        return printing.NOTHING
    if shown is Shown.RANK:
        return f"{value:.{decimals}f}"
    if shown is Shown.F1:
        return printing.figure(value, presentation)
    return printing.signed(value, presentation)
