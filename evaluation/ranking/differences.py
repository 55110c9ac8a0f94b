"""The 95% interval of the difference of every pair of systems on one test set.

In: results and the rules of resampling. Out: bounds by metric and pair of systems. The draws are those of the
standings, so that an interval and a p-value come from the same replicates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .columns import Columns, columns_of
from .philox import BATCH, multiplicities
from .results import Results
from .tails import Floats, Tails


def differences(
    results: Results, code: str, metrics: Sequence[str], *, replicates: int, seed: int
) -> tuple[Floats, Floats]:
    """Lower and upper bounds of the figure of a minus that of b: metrics × systems × systems.

    NaN where a file is not valid.
    """
    names = len(results.systems)
    low = np.full((len(metrics), names, names), np.nan)
    high = low.copy()
    column = columns_of(results, code, metrics) if replicates else None
    if column is not None:
        tails = Tails(replicates)
        for f1 in _replicates(column, replicates, seed):
            tails.add(f1[:, :, None] - f1[:, None, :])
        rows = np.ix_(np.arange(len(metrics)), column.systems, column.systems)
        low[rows], high[rows] = tails.interval()
    return low, high


def _replicates(column: Columns, replicates: int, seed: int) -> Iterator[Floats]:
    """The figure of every metric and system in the replicates, a batch at a time."""
    for batch in range((replicates + BATCH - 1) // BATCH):
        size = min(BATCH, replicates - batch * BATCH)
        drawn = multiplicities(seed, column.code, column.units, batch, size)
        yield column.figures(drawn).transpose(1, 0, 2)
