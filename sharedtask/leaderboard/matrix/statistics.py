"""Statistics of a row or a column of the matrix: mean, median, best and spread.

In: the figures of a row or column, NaN where there is none. Out: `Statistics`, NaN without any figure. The
spread is the interquartile range, which one failed output does not change.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from evaluation import Presentation
from evaluation.ranking.tails import Floats
from sharedtask.leaderboard.matrix.cell_values import CellKind, cell_text, is_lower_better

BEST = "Best"
NAMES = ("Mean", "Median", BEST, "Spread")


@dataclass(frozen=True, kw_only=True)
class Statistics:
    mean: float
    median: float
    best: float
    spread: float

    def texts(self, kind: CellKind, presentation: Presentation) -> tuple[str, ...]:
        """In the order of `NAMES`. A spread has no sign, even if it is a spread of differences."""
        spread_kind = CellKind.RANK if kind is CellKind.RANK else CellKind.F1
        return (
            cell_text(kind, self.mean, presentation, decimals=1),
            cell_text(kind, self.median, presentation, decimals=1),
            cell_text(kind, self.best, presentation),
            cell_text(spread_kind, self.spread, presentation, decimals=1),
        )


def statistics(values: Floats, kind: CellKind, presentation: Presentation) -> Statistics:
    known = values[~np.isnan(values)]
    if not len(known):
        return Statistics(mean=nan, median=nan, best=nan, spread=nan)
    lower, median, upper = np.quantile(known, [0.25, 0.5, 0.75]).tolist()
    best = known.min() if is_lower_better(kind, presentation) else known.max()
    return Statistics(mean=float(known.mean()), median=median, best=float(best), spread=upper - lower)
