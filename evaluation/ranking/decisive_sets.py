"""On which test sets the difference of two macro-averages rests.

In: the F1 of two systems on each test set, None for a missing or an invalid file. Out: the fewest test sets
without which the order would be another, and those each of which would do alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from .aggregate import Policy, macro_average

Scores = Mapping[str, float | None]

_ROUNDING = 1e-12
"""Two averages that are closer than this differ by rounding errors only."""


@dataclass(frozen=True, slots=True)
class DecisiveSets:
    """Test sets left out, and the difference of the averages over the others."""

    codes: tuple[str, ...]
    difference: float


def fewest_decisive_sets(ours: Scores, theirs: Scores, policy: Policy = "zero") -> DecisiveSets | None:
    """The fewest test sets without which the one that is ahead is behind, or level.

    They go by their weight; where missing files count as 0, no other choice of as many does more.
    None where the two are level from the start, or the one that is ahead stays ahead to the last test set.

    >>> fewest_decisive_sets({"ja": 0.75, "sk": 0.5, "zh": 0.5}, {"ja": 0.25, "sk": 0.625, "zh": 0.625})
    DecisiveSets(codes=('ja',), difference=-0.125)
    """
    whole = difference(ours, theirs, ours, policy)
    if whole == 0.0:
        return None
    ahead = 1.0 if whole > 0 else -1.0
    weights = _weights(ours, theirs, policy)
    in_order = sorted(ours, key=lambda code: (-ahead * weights[code], code))
    for count in range(1, len(in_order)):
        left = difference(ours, theirs, in_order[count:], policy)
        if ahead * left <= 0:
            return DecisiveSets(tuple(in_order[:count]), left)
    return None


def single_decisive_sets(ours: Scores, theirs: Scores, policy: Policy = "zero") -> list[str]:
    """The test sets without any one of which the one that is ahead is behind, or level."""
    whole = difference(ours, theirs, ours, policy)
    if whole == 0.0 or len(ours) < 2:
        return []
    without = {code: difference(ours, theirs, [one for one in ours if one != code], policy) for code in ours}
    return [code for code, left in without.items() if whole * left <= 0]


def difference(ours: Scores, theirs: Scores, codes: Collection[str], policy: Policy = "zero") -> float:
    """The first average less the second, over these test sets."""
    first, second = (macro_average({code: side[code] for code in codes}, policy) for side in (ours, theirs))
    return first - second if abs(first - second) > _ROUNDING else 0.0


def _weights(ours: Scores, theirs: Scores, policy: Policy) -> dict[str, float]:
    """What each test set gives the first before the second; a file that is left out moves no average."""
    first, second = (0.0 if policy == "zero" else macro_average(side, policy) for side in (ours, theirs))

    def score(side: Scores, code: str, otherwise: float) -> float:
        value = side[code]
        return otherwise if value is None else value

    return {code: score(ours, code, first) - score(theirs, code, second) for code in ours}
