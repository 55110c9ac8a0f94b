"""The figure of one system in relation to all systems: the best, the median, and the distance from them.

In: the figures of all systems in one column, NaN where there is none. Out: `SystemStats`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation import Presentation
from evaluation.ranking.tails import Floats


@dataclass(frozen=True, kw_only=True)
class SystemStats:
    own: float | None
    """None for a system without a figure."""
    best: float
    best_index: int
    """The system that has it, by its place in the arrays; the first one of several."""
    median: float
    quartiles: tuple[float, float]
    extremes: tuple[float, float]
    """The lowest and the highest figure."""
    systems: int
    """How many have a figure."""

    @property
    def from_best(self) -> float | None:
        return None if self.own is None else self.own - self.best

    @property
    def from_median(self) -> float | None:
        return None if self.own is None else self.own - self.median


def system_stats(
    values: Floats, ranked: Sequence[int], own: int, presentation: Presentation
) -> SystemStats | None:
    """`ranked` are the indexes of all systems that count, with or without `own`. None without any figure."""
    known = [index for index in ranked if not np.isnan(values[index])]
    if not known:
        return None
    lowest, lower, median, upper, highest = np.quantile(values[known], [0, 0.25, 0.5, 0.75, 1]).tolist()
    best_index = min(known, key=lambda index: presentation.sort_key(float(values[index])))
    return SystemStats(
        own=none_if_nan(values[own]),
        best=float(values[best_index]),
        best_index=best_index,
        median=median,
        quartiles=(lower, upper),
        extremes=(lowest, highest),
        systems=len(known),
    )


def none_if_nan(value: float) -> float | None:
    """A missing figure is NaN in the arrays and None everywhere else."""
    return None if np.isnan(value) else float(value)


def rank_range(low: float, high: float) -> tuple[int, int] | None:
    """A missing rank is 0 in the arrays."""
    return (int(low), int(high)) if low else None
