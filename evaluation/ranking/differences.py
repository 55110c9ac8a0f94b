"""The 95% interval of the difference of every pair of systems on one test set.

In: the sums of a test set. Out: bounds by metric and pair of systems. The draws are those of the standings,
so that an interval and a p-value come from the same replicates.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ..reading.fields import Mask
from .set_sums import SetSums
from .tails import Floats, percentiles

# Differences that are in memory at once: few enough for the processor's cache.
_BLOCK = 1 << 15


def differences(sums: SetSums, metrics: Sequence[str], known: Collection[str] = ()) -> tuple[Floats, Floats]:
    """Lower and upper bounds of the figure of a minus that of b: metrics × pairs.

    Pairs have the order of `itertools.combinations`. The interval of b − a mirrors that of a − b. Those of
    two `known` systems are left out: they are NaN.
    """
    is_new = np.array([name not in known for name in sums.systems], dtype=bool)
    bounds = [_intervals(sums.resampled(metric), is_new) for metric in metrics]
    return np.stack([low for low, _ in bounds]), np.stack([high for _, high in bounds])


def _intervals(values: Floats, is_new: Mask) -> tuple[Floats, Floats]:
    """Of all pairs, by the replicates of each system."""
    systems, replicates = values.shape
    bounds = np.full((2, systems * (systems - 1) // 2), np.nan)
    step, begin = max(1, _BLOCK // replicates), 0
    for first in range(systems):
        others = values[first + 1 :]
        at = np.arange(begin, begin + len(others))
        if not is_new[first]:
            others, at = others[is_new[first + 1 :]], at[is_new[first + 1 :]]
        for part in range(0, len(others), step):
            bounds[:, at[part : part + step]] = percentiles(values[first] - others[part : part + step])
        begin += systems - first - 1
    return bounds[0], bounds[1]
