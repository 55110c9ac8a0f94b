"""From replicates to statements: one-sided p values, Holm's adjustment, ranges of ranks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..reading.fields import Ints
from .tails import TAIL

LEVEL = 0.05


def p_value(above: int, resamples: int) -> float:
    """The p value for A above B, given the number of replicates in which A was above B.

    >>> p_value(above=1000, resamples=1000) < 0.001, p_value(above=0, resamples=1000)
    (True, 1.0)
    """
    return (1 + resamples - above) / (1 + resamples)


def replicates_for_holm(systems: int) -> int:
    """The least number of replicates with which a pair of so many systems can be significant after Holm.

    >>> replicates_for_holm(33), too_few_replicates(33 * 32 // 2, 10_560)
    (10560, '')
    """
    return round(systems * (systems - 1) / 2 / LEVEL)


def too_few_replicates(pairs: int, resamples: int) -> str:
    """Why Holm-adjusted p values cannot be given; empty if they can.

    The smallest possible p is 1 / (R + 1), and Holm multiplies it by the number of pairs.
    """
    if pairs / (resamples + 1) < LEVEL:
        return ""
    return (
        f"with {pairs:,} pairs at least {round(pairs / LEVEL):,} replicates are needed for any of them to be "
        f"significant after Holm's adjustment; there were {resamples:,}"
    )


def holm(p: Sequence[float]) -> list[float]:
    """Adjust p values for multiple tests by Holm's step-down method, in the given order.

    >>> [round(value, 3) for value in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p)
    largest = 0.0
    for step, index in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        largest = max(largest, min(1.0, (len(p) - step) * p[index]))
        adjusted[index] = largest
    return adjusted


def rank_range(counts: Ints) -> tuple[int, int]:
    """The ranks of the central 95% of the replicates, given the number of replicates for each rank.

    At most 2.5 % of the replicates have a better rank than the first, and at most 2.5 % a worse one than the
    second.

    >>> rank_range(np.array([20, 950, 30]))
    (2, 3)
    """
    total = int(counts.sum())
    below, above = np.cumsum(counts), np.cumsum(counts[::-1])
    best = int(np.argmax(below > TAIL * total))
    worst = len(counts) - 1 - int(np.argmax(above > TAIL * total))
    return best + 1, worst + 1
