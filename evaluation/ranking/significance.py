"""From replicates to statements: p-values and Holm's correction.

A p-value for A above B is one-sided: it is meant for a direction that was chosen before. A table chooses the
direction after looking at the figures, so that what it prints, draws as a line or corrects is two-sided,
unless the task keeps to the one-sided convention of CoNLL 2017.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from ..reading.fields import Ints
from .tails import Floats

Sides = Literal["two-sided", "one-sided"]
LEVEL = 0.05


def p_value(above: int, replicates: int) -> float:
    """The one-sided p-value for A above B, given the number of replicates in which A was above B.

    >>> p_value(above=1000, replicates=1000) < 0.001, p_value(above=0, replicates=1000)
    (True, 1.0)
    """
    return (1 + replicates - above) / (1 + replicates)


def p_values(above: Ints, below: Ints, replicates: int, sides: Sides) -> Floats:
    """The p-values of many pairs: A was above B in `above` of the replicates, and below B in `below`.

    >>> p_values(np.array([980, 0]), np.array([20, 0]), 1000, "two-sided").round(3).tolist()
    [0.042, 1.0]
    >>> p_values(np.array([980, 0]), np.array([20, 0]), 1000, "one-sided").round(3).tolist()
    [0.021, 1.0]
    """
    forward: Floats = (1 + replicates - above) / (1 + replicates)
    if sides == "one-sided":
        return forward
    backward: Floats = (1 + replicates - below) / (1 + replicates)
    both: Floats = np.minimum(1.0, 2 * np.minimum(forward, backward))
    return both


def replicates_for_holm(systems: int, sides: Sides = "two-sided") -> int:
    """The least number of replicates with which a pair of so many systems can be significant after Holm.

    >>> replicates_for_holm(33), replicates_for_holm(33, "one-sided")
    (21120, 10560)
    >>> too_few_replicates(33 * 32 // 2, 21_120)
    ''
    """
    return round(_factor(sides) * systems * (systems - 1) / 2 / LEVEL)


def too_few_replicates(pairs: int, replicates: int, sides: Sides = "two-sided") -> str:
    """Why Holm-corrected p-values cannot be given; empty if they can.

    The smallest possible p is 1 / (R + 1), or twice that, and Holm multiplies it by the number of pairs.
    """
    least = _factor(sides) * pairs
    if least / (replicates + 1) < LEVEL:
        return ""
    return (
        f"with {pairs:,} pairs at least {round(least / LEVEL):,} replicates are needed for any of them to be "
        f"significant after Holm's correction; there were {replicates:,}"
    )


def _factor(sides: Sides) -> int:
    return 2 if sides == "two-sided" else 1


def holm(p: Sequence[float]) -> list[float]:
    """Correct p-values for multiple tests by Holm's step-down method, in the given order.

    >>> [round(value, 3) for value in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    values = np.array(p, dtype=np.float64)
    order = np.argsort(values)
    left = np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, left * values[order]))
    corrected: list[float] = adjusted.tolist()
    return corrected
