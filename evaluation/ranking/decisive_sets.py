"""The test sets that decide which of two systems has the higher macro-average.

In: the F1 of two systems on each test set, None for a missing or an invalid file. Out: the fewest test sets
without which the order would change, and the single test sets without any one of which it would change.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from .aggregate import Policy, macro_average

Scores = Mapping[str, float | None]

_ROUNDING = 1e-12
"""Averages closer than this differ only by rounding errors."""


@dataclass(frozen=True, slots=True)
class DecisiveSets:
    """The omitted test sets, and the difference of the averages over the others."""

    codes: tuple[str, ...]
    difference: float


def fewest_decisive_sets(ours: Scores, theirs: Scores, policy: Policy = "zero") -> DecisiveSets | None:
    """The fewest test sets without which the leading system would be behind or level.

    Test sets are omitted in the order of their weight; where missing files count as 0, this is optimal.
    None if the two are level over all test sets, or if the leading one stays ahead to the last test set.

    >>> fewest_decisive_sets({"ja": 0.75, "sk": 0.5, "zh": 0.5}, {"ja": 0.25, "sk": 0.625, "zh": 0.625})
    DecisiveSets(codes=('ja',), difference=-0.125)
    """
    overall = difference(ours, theirs, ours, policy)
    if overall == 0.0:
        return None
    sign = 1.0 if overall > 0 else -1.0
    weights = _weights(ours, theirs, policy)
    ordered = sorted(ours, key=lambda code: (-sign * weights[code], code))
    for count in range(1, len(ordered)):
        remaining = difference(ours, theirs, ordered[count:], policy)
        if sign * remaining <= 0:
            return DecisiveSets(tuple(ordered[:count]), remaining)
    return None


def single_decisive_sets(ours: Scores, theirs: Scores, policy: Policy = "zero") -> list[str]:
    """The test sets without any one of which the leading system would be behind or level."""
    overall = difference(ours, theirs, ours, policy)
    if overall == 0.0 or len(ours) < 2:
        return []
    without = {
        code: difference(ours, theirs, [other for other in ours if other != code], policy) for code in ours
    }
    return [code for code, remaining in without.items() if overall * remaining <= 0]


def difference(ours: Scores, theirs: Scores, codes: Collection[str], policy: Policy = "zero") -> float:
    """The first average minus the second, over these test sets."""
    first, second = (macro_average({code: side[code] for code in codes}, policy) for side in (ours, theirs))
    return first - second if abs(first - second) > _ROUNDING else 0.0


def _weights(ours: Scores, theirs: Scores, policy: Policy) -> dict[str, float]:
    """How much each test set favours the first system; an excluded file counts like the average."""
    first, second = (0.0 if policy == "zero" else macro_average(side, policy) for side in (ours, theirs))

    def score(side: Scores, code: str, default: float) -> float:
        value = side[code]
        return default if value is None else value

    return {code: score(ours, code, first) - score(theirs, code, second) for code in ours}
