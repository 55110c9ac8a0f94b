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
from .tails import Floats, percentiles

# Differences that are in memory at once: few enough for the processor's cache.
_BLOCK = 1 << 17


def differences(
    results: Results, code: str, metrics: Sequence[str], *, replicates: int, seed: int
) -> tuple[Floats, Floats]:
    """Lower and upper bounds of the figure of a minus that of b: metrics × pairs.

    Pairs have the order of `itertools.combinations`. The interval of b − a mirrors that of a − b. Every file
    must be valid.
    """
    column = columns_of(results, code, metrics)
    if column is None or len(column.systems) < len(results.systems):
        raise ValueError(f"not every system has a valid file for {code}")
    figures = np.empty((len(metrics), len(results.systems), replicates))
    for begin, batch in _replicates(column, replicates, seed):
        figures[:, :, begin : begin + batch.shape[2]] = batch
    bounds = [_intervals(values) for values in figures]
    return np.stack([low for low, _ in bounds]), np.stack([high for _, high in bounds])


def _intervals(values: Floats) -> tuple[Floats, Floats]:
    """Of all pairs, by the replicates of each system."""
    systems, replicates = values.shape
    bounds = np.empty((2, systems * (systems - 1) // 2))
    step, done = max(1, _BLOCK // replicates), 0
    for first in range(systems):
        for begin in range(first + 1, systems, step):
            block = percentiles(values[first] - values[begin : begin + step])
            bounds[:, done : done + len(block[0])] = block
            done += len(block[0])
    return bounds[0], bounds[1]


def _replicates(column: Columns, replicates: int, seed: int) -> Iterator[tuple[int, Floats]]:
    """The figure of every metric and system in the replicates: batches, each with its first replicate."""
    for batch in range((replicates + BATCH - 1) // BATCH):
        size = min(BATCH, replicates - batch * BATCH)
        drawn = multiplicities(seed, column.code, column.units, batch, size)
        yield batch * BATCH, column.figures(drawn).transpose(1, 0, 2)
