"""The paired bootstrap: replicates of every macro-average of every system, all with the same draws.

In: results and the rules of resampling. Out: for every scope and metric the 95% interval of each system, how
often each system was above each other one, and how often it had each rank.

Every F1 is rounded to a multiple of 2^-50, so that macro-averages are exact sums of whole numbers: the order
of the test sets, the other systems and the number of processes cannot change a bit, and systems with the same
scores tie exactly.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..packing import Packed
from ..reading.fields import Ints, Mask
from ..scoring.metric import TableMetric
from .aggregate import Policy
from .averaging import averaged_files, averaging_of
from .checkpoint import Checkpoint
from .columns import Columns, columns_of
from .philox import BATCH, multiplicities
from .processes import map_in_processes
from .replicates import Replicates
from .results import Results
from .tails import Floats

_ONE = float(1 << 50)
# Figures of tables may be larger than 1.
_ONE_OF_TABLES = float(1 << 40)
_LARGEST = float(1 << 14)
# The average of a system that has none, where lower is better: worse than any other.
_NONE = 1e300


@dataclass(frozen=True)
class BootstrapResult(Packed):
    """Arrays over scopes, metrics and systems, in the order of these tuples."""

    FORMAT: ClassVar[str] = "bootstrap 1"

    scopes: tuple[str, ...]
    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    replicates: int
    # Scopes × metrics × systems.
    low: Floats
    high: Floats
    # Scopes × metrics × systems × systems: the replicates in which the first system was above the second.
    above: Ints
    # Scopes × metrics × systems × ranks: the replicates in which the system had that rank, from 0.
    rank_counts: Ints

    @classmethod
    def from_bytes(cls, stored: bytes) -> BootstrapResult:
        read = super().from_bytes(stored)
        return replace(
            read,
            scopes=tuple(read.scopes),
            metrics=tuple(read.metrics),
            systems=tuple(read.systems),
            above=read.above.astype(np.int64),
            rank_counts=read.rank_counts.astype(np.int64),
        )


@dataclass(frozen=True)
class _Plan:
    """The input of a resampling process: the counts, and the test sets to average over."""

    columns: tuple[Columns, ...]
    seed: int
    replicates: int
    systems: int
    # Scopes × test sets: whether the scope includes the test set.
    members: Mask
    # Scopes × systems × metrics: the number of test sets in the average of the system.
    divisors: Ints
    numbered: Mask
    # Per metric: how its figures are averaged, which of them are better, and what one is in fixed point.
    averaging: tuple[str, ...]
    signs: tuple[int, ...]
    ones: Floats

    def replicates_of(self) -> Replicates:
        """Nothing yet."""
        return Replicates(len(self.members), self.signs, self.numbered, self.replicates)


def resample(
    results: Results,
    *,
    metrics: Sequence[str],
    replicates: int,
    seed: int,
    policy: Policy = "zero",
    unnumbered: Collection[str] = (),
    jobs: int = 1,
    checkpoint: Checkpoint | None = None,
    part: str = "all",
) -> BootstrapResult:
    """Resample all systems on all test sets.

    With a checkpoint, in one process: it continues what is in the checkpoint's part of this name.
    """
    if replicates < 1:
        raise ValueError(f"the number of replicates must be at least 1, not {replicates}")
    if checkpoint and (finished := checkpoint.result(part)):
        return BootstrapResult.from_bytes(finished)
    plan = _plan(results, metrics, replicates, seed, policy, unnumbered)
    batches = range((replicates + BATCH - 1) // BATCH)
    if checkpoint:
        result = _result(results, metrics, replicates, _resample_in_steps(plan, batches, checkpoint, part))
        checkpoint.finish(part, result.to_bytes())
        return result
    shares = [batches[share :: max(1, jobs)] for share in range(max(1, jobs))]
    total = plan.replicates_of()
    for joined in map_in_processes(partial(_resample, plan), [share for share in shares if share], jobs):
        total.join(joined)
    return _result(results, metrics, replicates, total)


def _result(results: Results, metrics: Sequence[str], replicates: int, total: Replicates) -> BootstrapResult:
    intervals = [tails.interval() for tails in total.tails]
    return BootstrapResult(
        tuple(results.scopes),
        tuple(metrics),
        tuple(results.systems),
        replicates,
        np.stack([low for low, _ in intervals]),
        np.stack([high for _, high in intervals]),
        total.above,
        total.rank_counts,
    )


def _plan(
    results: Results,
    metrics: Sequence[str],
    replicates: int,
    seed: int,
    policy: Policy,
    unnumbered: Collection[str],
) -> _Plan:
    codes, systems, scopes = results.codes, results.systems, results.scopes.values()
    columns = tuple(c for code in codes if (c := columns_of(results, code, metrics, policy)) is not None)
    averaged = [
        [[averaged_files(results, name, metric, scope, policy) for metric in metrics] for name in systems]
        for scope in scopes
    ]
    averaging = tuple(averaging_of(results, metric) for metric in metrics)
    has_table = [isinstance(results.definitions[metric], TableMetric) for metric in metrics]
    return _Plan(
        columns=columns,
        seed=seed,
        replicates=replicates,
        systems=len(systems),
        members=np.array([[c.code in scope for c in columns] for scope in scopes], dtype=bool),
        divisors=np.array(averaged, dtype=np.int64),
        numbered=np.array([name not in unnumbered for name in systems], dtype=bool),
        averaging=averaging,
        signs=tuple(results.presentation(metric).sign for metric in metrics),
        ones=np.where(has_table, _ONE_OF_TABLES, _ONE),
    )


def _resample(plan: _Plan, batches: Sequence[int]) -> Replicates:
    """Some of the batches; the distribution of batches over processes does not affect the result."""
    replicates = plan.replicates_of()
    for batch in batches:
        size = min(BATCH, plan.replicates - batch * BATCH)
        replicates.add(_macro_averages(plan, batch, size))
    return replicates


def _resample_in_steps(plan: _Plan, batches: Sequence[int], checkpoint: Checkpoint, part: str) -> Replicates:
    """A step is a batch."""
    replicates = plan.replicates_of()
    stored = checkpoint.parts.get(part)
    done = replicates.restore(stored) if stored else 0
    for batch in batches[done:]:
        size = min(BATCH, plan.replicates - batch * BATCH)
        replicates.add(_macro_averages(plan, batch, size))
        checkpoint.step(part, partial(replicates.to_bytes, batch + 1), share=(batch + 1) / len(batches))
    return replicates


def _macro_averages(plan: _Plan, batch: int, size: int) -> Floats:
    metrics = len(plan.averaging)
    terms = 1 if set(plan.averaging) == {"figures"} else 2
    sums = np.zeros((terms, len(plan.members), plan.systems, metrics, size), dtype=np.int64)
    for column, members in zip(plan.columns, plan.members.T, strict=True):
        drawn = multiplicities(plan.seed, column.code, column.units, batch, size)
        everyone = len(column.systems) == plan.systems
        for total, term in zip(sums, column.terms(drawn), strict=True):
            scores = _to_fixed_point(plan, term)
            for scope in np.flatnonzero(members):
                if everyone:
                    total[scope] += scores
                else:
                    total[scope, column.systems] += scores
    averages = _finish(plan, sums)
    return np.ascontiguousarray(averages.transpose(0, 2, 1, 3))


def _finish(plan: _Plan, sums: NDArray[np.int64]) -> Floats:
    """From sums over test sets to averages: scopes × systems × metrics × replicates."""
    means: Floats = sums / (np.maximum(plan.divisors, 1) * plan.ones)[:, :, :, None]
    averages: Floats = means[0]
    for place, averaging in enumerate(plan.averaging):
        if averaging == "micro":
            numerator, denominator = sums[0][:, :, place], sums[1][:, :, place]
            averages[:, :, place] = numerator / np.maximum(denominator, 1)
        elif averaging == "precision-recall":
            precision, recall = means[0][:, :, place], means[1][:, :, place]
            total = precision + recall
            averages[:, :, place] = 2 * precision * recall / np.where(total > 0, total, 1)
        if plan.signs[place] < 0:
            averages[:, :, place][plan.divisors[:, :, place] == 0] = _NONE
    return averages


def _to_fixed_point(plan: _Plan, figures: Floats) -> NDArray[np.int64]:
    """Counts of micro-averages are whole numbers already."""
    if "micro" in plan.averaging or plan.ones.min() < _ONE:
        ones = np.where([averaging == "micro" for averaging in plan.averaging], 1.0, plan.ones)
        largest = float(np.abs(figures[:, plan.ones < _ONE]).max(initial=0))
        if largest >= _LARGEST:
            raise ValueError(
                f"figures must be below {_LARGEST:,.0f} to be averaged; there was {largest:,.0f}"
            )
        figures *= ones[None, :, None]
    else:
        figures *= _ONE
    return np.rint(figures, out=figures).astype(np.int64)
