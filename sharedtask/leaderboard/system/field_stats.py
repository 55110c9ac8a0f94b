"""One figure among those of the field: the best, the median, and how far off they are.

In: the figures of all systems for one column, NaN where there is none. Out: `Among`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation import Presentation
from evaluation.ranking.tails import Floats


@dataclass(frozen=True, kw_only=True)
class Among:
    """`own` is None for a system without a figure; it can still be told what the others reached."""

    own: float | None
    best: float
    """Place in the arrays of whoever has it is `best_index`; the first in the order where several do."""
    best_index: int
    median: float
    quartiles: tuple[float, float]
    ends: tuple[float, float]
    systems: int
    """How many have a figure."""

    @property
    def from_best(self) -> float | None:
        return None if self.own is None else self.own - self.best

    @property
    def from_median(self) -> float | None:
        return None if self.own is None else self.own - self.median


def among(values: Floats, ranked: Sequence[int], own: int, presentation: Presentation) -> Among | None:
    """`ranked` are the places of the field, with or without `own`. None where nobody has a figure."""
    field = [index for index in ranked if not np.isnan(values[index])]
    if not field:
        return None
    figures = values[field]
    lowest, first, middle, third, highest = np.quantile(figures, [0, 0.25, 0.5, 0.75, 1]).tolist()
    best_index = min(field, key=lambda index: presentation.sort_key(float(values[index])))
    return Among(
        own=number(values[own]),
        best=float(values[best_index]),
        best_index=best_index,
        median=middle,
        quartiles=(first, third),
        ends=(lowest, highest),
        systems=len(field),
    )


def number(value: float) -> float | None:
    """NaN stands for nothing in the arrays, None everywhere else."""
    return None if np.isnan(value) else float(value)


def ends(low: float, high: float) -> tuple[int, int] | None:
    """A range of ranks; 0 stands for none."""
    return (int(low), int(high)) if low else None
