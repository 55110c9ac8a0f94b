"""Compare the order of classes by COMPLEXITY with their order by UAS at the largest size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

_MARKED = 3


def shared_ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """Ranks from 1, the smallest first; equal values share the average of their ranks."""
    array = np.asarray(values, dtype=np.float64)
    _, inverse, counts = np.unique(array, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    averages: NDArray[np.float64] = (last - (counts - 1) / 2)[inverse]
    return averages


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rank correlation; None with fewer than three values or if one side is constant."""
    if len(first) < 3:
        return None
    a, b = (ranks - ranks.mean() for ranks in (shared_ranks(first), shared_ranks(second)))
    size = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / size if size else None


def most_different(complexity: Mapping[str, float], uas: Mapping[str, float]) -> list[str]:
    """The classes with the three largest differences between both ranks, and those that tie with them."""
    names = list(complexity)
    by_complexity = shared_ranks([complexity[name] for name in names])
    by_uas = shared_ranks([-uas[name] for name in names])
    differences = np.abs(by_complexity - by_uas)
    if not len(names) or not differences.any():
        return []
    least = max(float(np.sort(differences)[-min(_MARKED, len(names))]), 0.5)
    return [name for name, difference in zip(names, differences, strict=True) if difference >= least]
