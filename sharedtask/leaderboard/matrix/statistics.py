"""Four figures that say what a row or a column of the matrix is like: mean, median, best, spread.

In: the figures of a row or column, NaN where there is none. Out: `Statistics`, NaN where there is nothing.
The spread is the distance between the quartiles: one failed file does not change it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from evaluation import Presentation
from evaluation.ranking.tails import Floats
from sharedtask.leaderboard.matrix.cell_values import Shown, is_lower_better, printed

BEST = "Best"
NAMES = ("Mean", "Median", BEST, "Spread")


@dataclass(frozen=True, kw_only=True)
class Statistics:
    mean: float
    median: float
    best: float
    spread: float

    def printed(self, shown: Shown, presentation: Presentation) -> tuple[str, ...]:
        """A spread has no sign, whatever it is the spread of."""
        of_spread = Shown.RANK if shown is Shown.RANK else Shown.F1
        return (
            printed(shown, self.mean, presentation, decimals=1),
            printed(shown, self.median, presentation, decimals=1),
            printed(shown, self.best, presentation),
            printed(of_spread, self.spread, presentation, decimals=1),
        )


def statistics(values: Floats, shown: Shown, presentation: Presentation) -> Statistics:
    there = values[~np.isnan(values)]
    if not len(there):
        return Statistics(mean=nan, median=nan, best=nan, spread=nan)
    lower, median, upper = np.quantile(there, [0.25, 0.5, 0.75]).tolist()
    best = there.min() if is_lower_better(shown, presentation) else there.max()
    return Statistics(mean=float(there.mean()), median=median, best=float(best), spread=upper - lower)
