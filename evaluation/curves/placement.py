"""What a score is worth in training sentences: the size at which a curve reaches it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Placement:
    """A score on a curve. `sentences` is 0 below the smallest size, infinite above the largest.

    If the curve is not monotone around the score, other sizes may have the same score.
    """

    uas: float
    sentences: float
    is_monotone: bool

    def describe(self, sizes: Sequence[int], digits: int = 0) -> str:
        """The number of sentences as people write it: `32`, `<5`, `>500`."""
        bounded = self.bounded(sizes)
        return bounded if isinstance(bounded, str) else f"{bounded:.{digits}f}"

    def bounded(self, sizes: Sequence[int]) -> float | str:
        return within(self.sentences, sizes)


def within(sentences: float, sizes: Sequence[int]) -> float | str:
    """The number, or `<5` or `>500` where it is outside the curve."""
    if sentences < sizes[0]:
        return f"<{sizes[0]}"
    return f">{sizes[-1]}" if math.isinf(sentences) else sentences


def place(uas: float, sizes: Sequence[int], curve: Sequence[float]) -> Placement:
    """The first size at which the curve reaches the score from below, linear in the logarithm of the size.

    >>> place(50.0, [10, 1000, 2000], [40.0, 60.0, 70.0]).describe([10, 1000, 2000])
    '100'
    """
    if uas < curve[0]:
        return Placement(uas, 0.0, min(curve) >= uas)
    reached = next((n for n, value in enumerate(curve) if value >= uas), None)
    if reached is None:
        return Placement(uas, math.inf, True)
    return Placement(uas, _crossing(uas, sizes, curve, reached), _is_monotone_around(uas, curve, reached))


def _crossing(uas: float, sizes: Sequence[int], curve: Sequence[float], reached: int) -> float:
    if curve[reached] == uas:
        return float(sizes[reached])
    low, high = math.log(sizes[reached - 1]), math.log(sizes[reached])
    share = (uas - curve[reached - 1]) / (curve[reached] - curve[reached - 1])
    # The exponential of a logarithm may lie just outside the two sizes.
    return min(max(math.exp(low + share * (high - low)), float(sizes[reached - 1])), float(sizes[reached]))


def _is_monotone_around(uas: float, curve: Sequence[float], reached: int) -> bool:
    """Whether the curve stays above the score, and rises before and after the step that reaches it."""
    around = curve[max(reached - 2, 0) : reached + 2]
    rises = all(before <= after for before, after in pairwise(around))
    return rises and min(curve[reached:]) >= uas
