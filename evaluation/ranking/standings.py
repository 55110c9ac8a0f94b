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

from ..signature import campaign_signature
from .aggregate import Policy, ranks, sort_by_figure
from .averaging import average, averaged_files
from .bootstrap import BootstrapResult, resample
from .checkpoint import Checkpoint
from .results import EVERYTHING, Results
from .significance import LEVEL, holm, p_value, rank_range, too_few_replicates


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How a task computes standings from results. Every rule is in the signature.

    missing: a missing or invalid file counts as 0, or is excluded from the average.
    baselines: the systems marked as baselines; number_baselines says whether they get a rank.
    replicates: replicates of the bootstrap; 0 means no intervals and no tests.
    runs: how a team's result was combined, if it comes from several runs.
    """

    missing: Policy = "zero"
    baselines: frozenset[str] = frozenset()
    number_baselines: bool = True
    replicates: int = 1000
    seed: int = 1
    runs: str = "single"

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
    """`a` has the better figure of the two; p is the one-sided p-value of that difference."""

    a: str
    b: str
    metric: str
    difference: float
    p: float
    # None if there were too few replicates for any pair to be significant; then `reason` says so.
    p_holm: float | None
    reason: str


@dataclass(frozen=True)
class Standings:
    """The result of `compute_standings`."""

    results: Results
    rules: Rules
    resampled: BootstrapResult | None
    _averages: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict, repr=False)

    def averages(self, metric: str, scope: str = EVERYTHING) -> Mapping[str, float]:
        """The average of every system."""
        if (metric, scope) not in self._averages:
            results, codes = self.results, self.results.scopes[scope]
            self._averages[metric, scope] = {
                name: average(results, name, metric, codes, self.rules.missing) for name in results.systems
            }
        return self._averages[metric, scope]

    def averaged_files(self, system: str, metric: str, scope: str = EVERYTHING) -> int:
        """Over how many test sets the average of a system is taken."""
        codes = self.results.scopes[scope]
        return averaged_files(self.results, system, metric, codes, self.rules.missing)

    def interval(self, system: str, metric: str, scope: str = EVERYTHING) -> tuple[float, float] | None:
        """The 95% interval of a macro-average."""
        if self.resampled is None or metric not in self.resampled.metrics:
            return None
        if isnan(self.averages(metric, scope)[system]):
            return None
        place = self._place(metric, scope)
        index = self._index[system]
        return float(self.resampled.low[place][index]), float(self.resampled.high[place][index])

    def p(self, a: str, b: str, metric: str, scope: str = EVERYTHING) -> float | None:
        """The p-value for `a` being better than `b`."""
        if self.resampled is None or metric not in self.resampled.metrics:
            return None
        above = self.resampled.above[self._place(metric, scope)]
        return p_value(int(above[self._index[a], self._index[b]]), self.resampled.replicates)

    def ranking(self, metric: str, scope: str = EVERYTHING) -> list[Place]:
        """All systems from the best to the worst."""
        averages = self.averages(metric, scope)
        presentation = self.results.presentation(metric)
        numbers = ranks(averages, self.rules.unnumbered, presentation)
        order = sort_by_figure(averages, presentation)
        places = []
        for name, following in zip_longest(order, order[1:]):
            low, high = self.interval(name, metric, scope) or (None, None)
            p = None if following is None else self.p(name, following, metric, scope)
            places.append(
                Place(
                    name,
                    numbers[name],
                    averages[name],
                    low,
                    high,
                    self._rank_range(name, metric, scope),
                    p is not None and p < LEVEL,
                    name in self.rules.baselines,
                )
            )
        return places

    def pairs(self, metric: str, scope: str = EVERYTHING) -> list[Pair]:
        """Every system against every system below it; empty without resampling."""
        averages = self.averages(metric, scope)
        order = sort_by_figure(averages, self.results.presentation(metric))
        both = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
        p = [value for a, b in both if (value := self.p(a, b, metric, scope)) is not None]
        if len(p) < len(both):
            return []
        reason = too_few_replicates(len(both), self.rules.replicates)
        adjusted: Sequence[float | None] = [None] * len(both) if reason else holm(p)
        return [
            Pair(a, b, metric, averages[a] - averages[b], raw, corrected, reason)
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
            baselines=numbered if rules.baselines else "none",
            runs=rules.runs,
            track=results.track,
            key=key,
        )

    def _rank_range(self, system: str, metric: str, scope: str) -> tuple[int, int] | None:
        if self.resampled is None or metric not in self.resampled.metrics:
            return None
        if system in self.rules.unnumbered:
            return None
        return rank_range(self.resampled.rank_counts[self._place(metric, scope)][self._index[system]])

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
    jobs: int = 1,
    checkpoint: Checkpoint | None = None,
    part: str = "all",
) -> Standings:
    """Compute standings; `metrics` are those to resample, by default all metrics of the profile.

    A metric that is not resampled still has averages and ranks. `checkpoint` and `part` are for `resample`.
    """
    unknown = sorted(rules.baselines - set(results.systems))
    if unknown:
        raise ValueError(f"unknown system {', '.join(unknown)}: every baseline must be one of the systems")
    resampled = None
    if rules.replicates and results.systems:
        resampled = resample(
            results,
            metrics=results.metrics if metrics is None else metrics,
            replicates=rules.replicates,
            seed=rules.seed,
            policy=rules.missing,
            unnumbered=rules.unnumbered,
            jobs=jobs,
            checkpoint=checkpoint,
            part=part,
        )
    return Standings(results, rules, resampled)
