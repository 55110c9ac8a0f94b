"""Analyses beyond the ranking.

Wins, ties and losses over test sets; decisive test sets; how much the ranking depends on the metric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from ..scoring.presentation import PLAIN, Presentation
from .aggregate import Policy, macro_average
from .averaging import averaging_of
from .results import EVERYTHING, Results
from .standings import Standings


@dataclass(frozen=True, slots=True)
class Record:
    """On how many test sets one system is above, level with and below another."""

    wins: int
    ties: int
    losses: int
    not_compared: tuple[str, ...] = ()
    """The codes of those for which one of the two has no file that counts."""


def win_record(
    results: Results, a: str, b: str, metric: str, scope: str = EVERYTHING, policy: Policy = "zero"
) -> Record:
    """The record of `a` against `b`."""
    ours, theirs = (results.f1(name, metric, scope) for name in (a, b))
    return record_of(ours, theirs, results.presentation(metric), policy)


def record_of(
    ours: Mapping[str, float | None],
    theirs: Mapping[str, float | None],
    presentation: Presentation = PLAIN,
    policy: Policy = "zero",
) -> Record:
    """Equal printed figures are ties. Files without a score count as in averages: as 0, or not at all.

    >>> record_of({"he": 0.5, "kk": None}, {"he": 0.4, "kk": 0.3})
    Record(wins=1, ties=0, losses=1, not_compared=())
    >>> record_of({"he": 0.5, "kk": None}, {"he": 0.4, "kk": 0.3}, policy="exclude")
    Record(wins=1, ties=0, losses=0, not_compared=('kk',))
    """
    excluded: tuple[str, ...] = ()
    if policy == "exclude" or presentation.better == "lower":
        excluded = tuple(code for code in ours if ours[code] is None or theirs[code] is None)
    signs = [
        _sign(ours[code] or 0.0, theirs[code] or 0.0, presentation) for code in ours if code not in excluded
    ]
    return Record(signs.count(1), signs.count(0), signs.count(-1), excluded)


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """The difference of two macro-averages without one test set.

    `decides`: without it the other system would be ahead or level.
    """

    code: str
    difference: float
    decides: bool


def leave_one_out(
    results: Results, a: str, b: str, metric: str, scope: str = EVERYTHING, policy: Policy = "zero"
) -> list[LeaveOneOut]:
    """The difference a − b without each test set in turn, the most influential test set first.

    With a single test set there is nothing to leave out. Empty also where the profile does not average
    figures: then a test set has no share of its own in the average.
    """
    ours, theirs = (results.f1(name, metric, scope) for name in (a, b))
    if len(ours) < 2 or averaging_of(results, metric) != "figures":
        return []
    presentation = results.presentation(metric)
    policy = policy if presentation.better == "higher" else "exclude"
    overall = macro_average(ours, policy, presentation) - macro_average(theirs, policy, presentation)
    left, right = (_averages_without(side, policy) for side in (ours, theirs))
    without = []
    for code in ours:
        # Two equal averages must not differ by rounding errors.
        difference = left[code] - right[code] if abs(left[code] - right[code]) > 1e-12 else 0.0
        without.append(LeaveOneOut(code, difference, overall * difference <= 0 and overall != 0))
    return sorted(without, key=lambda item: (-abs(overall - item.difference), item.code))


def _averages_without(f1: Mapping[str, float | None], policy: Policy) -> dict[str, float]:
    """The macro-average without each test set in turn."""
    total = fsum(value for value in f1.values() if value is not None)
    averaged = len(f1) if policy == "zero" else sum(value is not None for value in f1.values())
    without = {}
    for code, value in f1.items():
        left = averaged - 1 if policy == "zero" or value is not None else averaged
        without[code] = (total - (value or 0.0)) / left if left else 0.0
    return without


def decisive_sets(
    results: Results, a: str, b: str, metric: str, scope: str = EVERYTHING, policy: Policy = "zero"
) -> list[str]:
    """The test sets whose omission alone would change the order of the two systems."""
    return [
        without.code for without in leave_one_out(results, a, b, metric, scope, policy) if without.decides
    ]


def kendall_tau(
    first: Mapping[str, float],
    second: Mapping[str, float],
    presentations: tuple[Presentation, Presentation] = (PLAIN, PLAIN),
) -> float | None:
    """Kendall's τ-b between two sets of scores of the same systems; scores equal in print are ties.

    None if one of them does not distinguish any two systems.

    >>> kendall_tau({"Ash": 0.3, "Elm": 0.2, "Oak": 0.1}, {"Ash": 0.9, "Elm": 0.7, "Oak": 0.8})
    0.3333333333333333
    """
    names = sorted(first)
    balance = untied_first = untied_second = 0
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            left = _sign(first[a], first[b], presentations[0])
            right = _sign(second[a], second[b], presentations[1])
            balance += left * right
            untied_first += left != 0
            untied_second += right != 0
    if not untied_first or not untied_second:
        return None
    return balance / sqrt(untied_first * untied_second)


def metric_agreement(
    standings: Standings, metrics: Sequence[str], scope: str = EVERYTHING
) -> dict[str, dict[str, float | None]]:
    """Kendall's τ between the rankings by each pair of metrics."""
    presentation, averages = standings.results.presentation, standings.averages
    return {
        first: {
            second: kendall_tau(
                averages(first, scope), averages(second, scope), (presentation(first), presentation(second))
            )
            for second in metrics
        }
        for first in metrics
    }


def _sign(left: float, right: float, presentation: Presentation) -> int:
    """1 if the first figure is better, -1 if it is worse, 0 if both are the same in print."""
    if presentation.same(left, right):
        return 0
    return 1 if presentation.sort_key(left) < presentation.sort_key(right) else -1
