"""Standings: ranks, confidence intervals and significance of the differences.

In: `Results` and the `Rules` of the task. Out: rankings and pairs for every metric and every scope (all test
sets, a group, a language), and the signature that says how to reproduce them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from math import isnan

import numpy as np

from ..reading.fields import Ints
from ..scoring.units import ENOUGH_UNITS
from ..signature import campaign_signature
from .aggregate import Policy, ranks, sort_by_figure
from .averaging import averaged_files, averages
from .bootstrap import BootstrapResult, following, resample
from .results import EVERYTHING, Results
from .significance import LEVEL, Sides, holm, p_values, too_few_replicates
from .sums_store import SumsStore, temporary_store
from .tails import Floats

TOO_FEW_UNITS = f"a test set with fewer than {ENOUGH_UNITS} sentences or documents is too small for it"
"""Why there is no interval, range of ranks or p-value. Their number may be secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How a task computes standings from results. Every rule is in the signature.

    missing: a missing or invalid file counts as 0, or is excluded from the average.
    baselines: the systems marked as baselines; number_baselines says whether they get a rank.
    replicates: replicates of the bootstrap; 0 means no intervals and no tests.
    runs: how a team's result was combined, if it comes from several runs.
    test: whether p-values are two-sided, or one-sided as in CoNLL 2017.
    """

    missing: Policy = "zero"
    baselines: frozenset[str] = frozenset()
    number_baselines: bool = True
    replicates: int = 1000
    seed: int = 1
    runs: str = "single"
    test: Sides = "two-sided"

    @property
    def unnumbered(self) -> frozenset[str]:
        return frozenset() if self.number_baselines else self.baselines


@dataclass(frozen=True, slots=True)
class Place:
    """One row of a ranking. `line_below`: the system is significantly better than the next one."""

    system: str
    rank: int | None
    f1: float
    low: float | None
    high: float | None
    rank_range: tuple[int, int] | None
    line_below: bool
    baseline: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """`a` has the better figure of the two; p is that of the difference, by the rules of the task."""

    a: str
    b: str
    metric: str
    difference: float
    # None if there are too few units; `p_holm` also if there were too few replicates for any pair to be
    # significant. Then `reason` says so.
    p: float | None
    p_holm: float | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicateArrays:
    """Arrays over systems. `following` is the system with the next figure; the last one follows itself."""

    low: Floats
    high: Floats
    rank_low: Ints
    rank_high: Ints
    following: Ints
    p_of_next: Floats


@dataclass(frozen=True)
class Standings:
    """The result of `compute_standings`."""

    results: Results
    rules: Rules
    resampled: BootstrapResult | None
    # The sums of every test set by all metrics, from which its own figures can be computed.
    sums: SumsStore | None = field(default=None, repr=False, compare=False)
    # Those that were asked for last: they are computed for all pairs at once.
    _p_values: dict[tuple[str, str], Floats] = field(default_factory=dict, repr=False)

    def averages(self, metric: str, scope: str = EVERYTHING) -> Mapping[str, float]:
        """The average of every system."""
        return averages(self.results, metric, self.results.scopes[scope], self.rules.missing)

    def averaged_files(self, system: str, metric: str, scope: str = EVERYTHING) -> int:
        """Over how many test sets the average of a system is taken."""
        codes = self.results.scopes[scope]
        return averaged_files(self.results, system, metric, codes, self.rules.missing)

    def interval(self, system: str, metric: str, scope: str = EVERYTHING) -> tuple[float, float] | None:
        """The 95% interval of a macro-average."""
        if not self._is_resampled(metric, scope) or isnan(self.averages(metric, scope)[system]):
            return None
        assert self.resampled is not None
        place = self._place(metric, scope)
        index = self._index[system]
        return float(self.resampled.low[place][index]), float(self.resampled.high[place][index])

    def p(self, a: str, b: str, metric: str, scope: str = EVERYTHING) -> float | None:
        """The p-value of the difference; if the test is one-sided, for `a` being better than `b`."""
        values = self.p_values(metric, scope)
        return None if values is None else float(values[self._index[a], self._index[b]])

    def p_values(self, metric: str, scope: str = EVERYTHING) -> Floats | None:
        """Of all pairs of systems; None if not all pairs were compared by this metric."""
        resampled = self.resampled
        if resampled is None or metric not in resampled.compared or self.reason(scope):
            return None
        if (metric, scope) not in self._p_values:
            above = resampled.above[resampled.scopes.index(scope), resampled.compared.index(metric)]
            values = p_values(above, above.T, resampled.replicates, self.rules.test)
            self._p_values.clear()
            self._p_values[metric, scope] = values
        return self._p_values[metric, scope]

    def reason(self, scope: str = EVERYTHING) -> str:
        """Why there are neither intervals nor p-values of a scope; empty if there can be some."""
        codes = self.results.scopes[scope]
        is_small = len(codes) == 1 and 0 < self.results.units(codes[0]) < ENOUGH_UNITS
        return TOO_FEW_UNITS if is_small else ""

    def ranking(self, metric: str, scope: str = EVERYTHING) -> list[Place]:
        """All systems from the best to the worst."""
        figures = self.averages(metric, scope)
        presentation = self.results.presentation(metric)
        numbers = ranks(figures, self.rules.unnumbered, presentation)
        order = sort_by_figure(figures, presentation)
        p = self._p_of_next(metric, scope)
        places = []
        for name, next_one in zip_longest(order, order[1:]):
            low, high = self.interval(name, metric, scope) or (None, None)
            # Systems that share a rank are not separated.
            differs = next_one is not None and not presentation.same(figures[name], figures[next_one])
            places.append(
                Place(
                    name,
                    numbers[name],
                    figures[name],
                    low,
                    high,
                    self._rank_range(name, metric, scope),
                    differs and p is not None and bool(p[self._index[name]] < LEVEL),
                    name in self.rules.baselines,
                )
            )
        return places

    def pairs(self, metric: str, scope: str = EVERYTHING) -> list[Pair]:
        """Every system against every system below it; empty without resampling."""
        figures = self.averages(metric, scope)
        order = sort_by_figure(figures, self.results.presentation(metric))
        both = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
        p = [self.p(a, b, metric, scope) for a, b in both]
        reason, known = self.reason(scope), [value for value in p if value is not None]
        if len(known) < len(both) and not (reason and self.rules.replicates):
            return []
        reason = reason or too_few_replicates(len(both), self.rules.replicates, self.rules.test)
        adjusted: Sequence[float | None] = [None] * len(both) if reason else holm(known)
        return [
            Pair(a, b, metric, figures[a] - figures[b], raw, corrected, reason)
            for (a, b), raw, corrected in zip(both, p, adjusted, strict=True)
        ]

    def signature(self, metric: str, key: bytes | None = None) -> str:
        """How to reproduce the figures; `key` hides the hashes of gold that is not released."""
        results, rules = self.results, self.rules
        numbered = "numbered" if rules.number_baselines else "unnumbered"
        return campaign_signature(
            profile=results.profile,
            options=results.effective_options,
            metric=metric,
            gold={gold.code: gold.sha256 for gold in results.sets},
            scopes=results.scopes,
            missing=rules.missing,
            unit=results.unit,
            replicates=rules.replicates,
            seed=rules.seed,
            test=rules.test,
            baselines=numbered if rules.baselines else "none",
            runs=rules.runs,
            track=results.track,
            key=key,
        )

    def arrays(self, metric: str, scope: str = EVERYTHING) -> ReplicateArrays | None:
        """What the replicates say of all systems; None if there are none."""
        p = self._p_of_next(metric, scope)
        if p is None:
            return None
        assert self.resampled is not None
        place, resampled = self._place(metric, scope), self.resampled
        return ReplicateArrays(
            low=resampled.low[place],
            high=resampled.high[place],
            rank_low=resampled.rank_low[place],
            rank_high=resampled.rank_high[place],
            following=following(self.averages(metric, scope), self.results.presentation(metric)),
            p_of_next=p,
        )

    def _is_resampled(self, metric: str, scope: str) -> bool:
        return self.resampled is not None and metric in self.resampled.metrics and not self.reason(scope)

    def _p_of_next(self, metric: str, scope: str) -> Floats | None:
        """The p-value of each system against the next one."""
        if not self._is_resampled(metric, scope):
            return None
        assert self.resampled is not None
        above, below = np.moveaxis(self.resampled.next_above[self._place(metric, scope)], -1, 0)
        return p_values(above, below, self.resampled.replicates, self.rules.test)

    def _rank_range(self, system: str, metric: str, scope: str) -> tuple[int, int] | None:
        if not self._is_resampled(metric, scope) or system in self.rules.unnumbered:
            return None
        assert self.resampled is not None
        place = (*self._place(metric, scope), self._index[system])
        return int(self.resampled.rank_low[place]), int(self.resampled.rank_high[place])

    def _place(self, metric: str, scope: str) -> tuple[int, int]:
        assert self.resampled is not None
        return self.resampled.scopes.index(scope), self.resampled.metrics.index(metric)

    @cached_property
    def _index(self) -> Mapping[str, int]:
        return {name: index for index, name in enumerate(self.results.systems)}


def compute_standings(
    results: Results,
    rules: Rules,
    *,
    metrics: Sequence[str] | None = None,
    compared: Sequence[str] | None = None,
    jobs: int = 1,
    store: SumsStore | None = None,
) -> Standings:
    """Compute standings; `metrics` are those to resample, by default all metrics of the profile.

    All pairs of systems are compared by the metrics in `compared`, by default all; by others, neighbours. A
    metric that is not resampled still has averages and ranks. Sums that are in the store are not computed
    again.
    """
    unknown = sorted(rules.baselines - set(results.systems))
    if unknown:
        raise ValueError(f"unknown system {', '.join(unknown)}: every baseline must be one of the systems")
    if not rules.replicates or not results.systems:
        return Standings(results, rules, None)
    resampled_metrics = results.metrics if metrics is None else tuple(metrics)
    store = store or temporary_store(results, resampled_metrics, rules.replicates)
    resampled = resample(
        results,
        metrics=resampled_metrics,
        replicates=rules.replicates,
        seed=rules.seed,
        policy=rules.missing,
        unnumbered=rules.unnumbered,
        compared=compared,
        jobs=jobs,
        store=store,
    )
    return Standings(results, rules, resampled, store if resampled_metrics == results.metrics else None)
