"""What the cells of the matrix show: the score, the rank, the difference from the best or from a baseline.

In: the view, a metric, the test sets. Out: an array of systems × test sets, NaN where there is no figure.
The best of a test set is the best system that was not withdrawn.
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


class CellKind(StrEnum):
    F1 = "f1"
    RANK = "rank"
    BEST = "best"
    BASELINE = "baseline"

    @property
    def label(self) -> str:
        return LABELS[self]


LABELS = {
    CellKind.F1: "score",
    CellKind.RANK: "rank",
    CellKind.BEST: "difference from the best",
    CellKind.BASELINE: "difference from a baseline",
}


def is_lower_better(kind: CellKind, presentation: Presentation) -> bool:
    return kind is CellKind.RANK or presentation.better == "lower"


def cell_values(
    view: StandingView, kind: CellKind, metric: str, codes: Sequence[str], baseline: Entrant | None
) -> Floats:
    columns, metric_index = [view.set_index(code) for code in codes], view.metric_index(metric)
    if kind is CellKind.RANK:
        ranks = view.figures.set_rank[:, columns, metric_index].astype(np.float64)
        return np.where(ranks == 0, np.nan, ranks)
    f1 = view.figures.set_f1[:, columns, metric_index]
    if kind is CellKind.BEST:
        return f1 - best_of_columns(f1[view.ranked], view.presentation(metric))
    if kind is CellKind.BASELINE:
        return f1 - f1[baseline.index] if baseline else np.full(f1.shape, np.nan)
    return f1


def best_of_columns(figures: Floats, presentation: Presentation) -> Floats:
    """NaN for a column without any figure."""
    if presentation.better == "lower":
        return -best_of_columns(-figures, replace(presentation, better="higher"))
    highest = np.max(np.where(np.isnan(figures), -np.inf, figures), axis=0, initial=-np.inf)
    return np.where(np.isinf(highest), np.nan, highest)


def cell_text(kind: CellKind, value: float, presentation: Presentation, *, decimals: int = 0) -> str:
    """`decimals` are those of ranks; figures have those of their metric."""
    if isnan(value):
        return printing.NOTHING
    if kind is CellKind.RANK:
        return f"{value:.{decimals}f}"
    if kind is CellKind.F1:
        return printing.figure(value, presentation)
    return printing.signed(value, presentation)
