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

from ..packing import Packed, pack, unpack
from ..reading.fields import Ints, Mask
from .aggregate import Policy
from .checkpoint import Checkpoint
from .columns import Columns, columns_of
from .philox import BATCH, multiplicities
from .processes import map_in_processes
from .results import Results
from .tails import Floats, Tails

_ONE = float(1 << 50)
_STATE = "replicates 1"


@dataclass(frozen=True)
class BootstrapResult(Packed):
    """Arrays over scopes, metrics and systems, in the order of these tuples."""

    FORMAT: ClassVar[str] = "bootstrap 1"

    scopes: tuple[str, ...]
    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    resamples: int
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
    resamples: int
    systems: int
    metrics: int
    # Scopes × test sets: whether the scope includes the test set.
    members: Mask
    # Scopes × systems: the number of test sets in the average of the system.
    divisors: Ints
    numbered: Mask


def resample(
    results: Results,
    *,
    metrics: Sequence[str],
    resamples: int,
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
    if resamples < 1:
        raise ValueError(f"the number of replicates must be at least 1, not {resamples}")
    if checkpoint and (finished := checkpoint.result(part)):
        return BootstrapResult.from_bytes(finished)
    plan = _plan(results, metrics, resamples, seed, policy, unnumbered)
    batches = range((resamples + BATCH - 1) // BATCH)
    if checkpoint:
        result = _result(results, metrics, resamples, _resample_in_steps(plan, batches, checkpoint, part))
        checkpoint.finish(part, result.to_bytes())
        return result
    shares = [batches[share :: max(1, jobs)] for share in range(max(1, jobs))]
    total = _Replicates(plan)
    for joined in map_in_processes(partial(_resample, plan), [share for share in shares if share], jobs):
        total.join(joined)
    return _result(results, metrics, resamples, total)


def _result(results: Results, metrics: Sequence[str], resamples: int, total: _Replicates) -> BootstrapResult:
    intervals = [tails.interval() for tails in total.tails]
    return BootstrapResult(
        tuple(results.scopes),
        tuple(metrics),
        tuple(results.systems),
        resamples,
        np.stack([low for low, _ in intervals]),
        np.stack([high for _, high in intervals]),
        total.above,
        total.rank_counts,
    )


def _plan(
    results: Results,
    metrics: Sequence[str],
    resamples: int,
    seed: int,
    policy: Policy,
    unnumbered: Collection[str],
) -> _Plan:
    codes, systems, scopes = results.codes, results.systems, results.scopes.values()
    columns = tuple(c for code in codes if (c := columns_of(results, code, metrics)) is not None)
    # An average is over all sets of the scope, or over those for which the system has a valid file.
    averaged = [
        [
            sum(policy == "zero" or results.outcome(name, code).status == "valid" for code in scope)
            for name in systems
        ]
        for scope in scopes
    ]
    return _Plan(
        columns=columns,
        seed=seed,
        resamples=resamples,
        systems=len(systems),
        metrics=len(metrics),
        members=np.array([[c.code in scope for c in columns] for scope in scopes], dtype=bool),
        divisors=np.array(averaged, dtype=np.int64),
        numbered=np.array([name not in unnumbered for name in systems], dtype=bool),
    )


class _Replicates:
    """Statistics of the replicates (tails and counts), without the replicates themselves."""

    def __init__(self, plan: _Plan) -> None:
        shape = (len(plan.members), plan.metrics, plan.systems)
        # One per scope: shortening them one after the other takes less memory than all at once.
        self.tails = [Tails(plan.resamples) for _ in plan.members]
        self.above = np.zeros((*shape, plan.systems), dtype=np.int64)
        self.rank_counts = np.zeros((*shape, int(plan.numbered.sum()) + 1), dtype=np.int64)

    def add(self, macro: Floats, numbered: Mask) -> None:
        """Add the macro-averages of some replicates: scopes × metrics × systems × replicates."""
        for tails, values in zip(self.tails, macro, strict=True):
            tails.add(values)
        systems, ranks = self.rank_counts.shape[-2:]
        # A batch has at most 250 replicates, so a byte can hold such a count.
        small = np.min_scalar_type(max(BATCH, systems))
        offsets = (np.arange(systems) * ranks)[:, None]
        for place in np.ndindex(macro.shape[:2]):
            values = macro[place]
            above = (values[:, None, :] > values[None, :, :]).view(np.uint8)
            self.above[place] += np.add.reduce(above, axis=2, dtype=small)
            # Ties share the better rank, because only systems strictly above count.
            rank = np.add.reduce(above[numbered], axis=0, dtype=small)
            flat = np.bincount((rank + offsets).ravel(), minlength=systems * ranks)
            self.rank_counts[place] += flat.reshape(systems, ranks)

    def to_bytes(self, batches: int) -> bytes:
        """The state after so many batches."""
        tails = [tails.state() for tails in self.tails]
        arrays = {
            "low": np.stack([low for low, _ in tails]),
            "high": np.stack([high for _, high in tails]),
            "above": self.above,
            "rank_counts": self.rank_counts,
            "batches": np.array([batches]),
        }
        return pack(_STATE, arrays, {})

    def restore(self, stored: bytes) -> int:
        """Continue from such a state; the number of batches that are done."""
        arrays, _ = unpack(_STATE, stored)
        for tails, low, high in zip(self.tails, arrays["low"], arrays["high"], strict=True):
            tails.restore(low, high)
        self.above, self.rank_counts = arrays["above"].copy(), arrays["rank_counts"].copy()
        return int(arrays["batches"][0])

    def join(self, other: _Replicates) -> None:
        for tails, others in zip(self.tails, other.tails, strict=True):
            tails.join(others)
        self.above += other.above
        self.rank_counts += other.rank_counts


def _resample(plan: _Plan, batches: Sequence[int]) -> _Replicates:
    """Some of the batches; the distribution of batches over processes does not affect the result."""
    replicates = _Replicates(plan)
    for batch in batches:
        size = min(BATCH, plan.resamples - batch * BATCH)
        replicates.add(_macro_averages(plan, batch, size), plan.numbered)
    return replicates


def _resample_in_steps(plan: _Plan, batches: Sequence[int], checkpoint: Checkpoint, part: str) -> _Replicates:
    """A step is a batch."""
    replicates = _Replicates(plan)
    stored = checkpoint.parts.get(part)
    done = replicates.restore(stored) if stored else 0
    for batch in batches[done:]:
        size = min(BATCH, plan.resamples - batch * BATCH)
        replicates.add(_macro_averages(plan, batch, size), plan.numbered)
        checkpoint.step(part, partial(replicates.to_bytes, batch + 1), share=(batch + 1) / len(batches))
    return replicates


def _macro_averages(plan: _Plan, batch: int, size: int) -> Floats:
    sums = np.zeros((len(plan.members), plan.systems, plan.metrics, size), dtype=np.int64)
    for column, members in zip(plan.columns, plan.members.T, strict=True):
        drawn = multiplicities(plan.seed, column.code, column.units, batch, size)
        scores = _to_fixed_point(column.f1(column.totals(drawn)))
        everyone = len(column.systems) == plan.systems
        for scope in np.flatnonzero(members):
            if everyone:
                sums[scope] += scores
            else:
                sums[scope, column.systems] += scores
    averages = sums / (np.maximum(plan.divisors, 1) * _ONE)[:, :, None, None]
    return np.ascontiguousarray(averages.transpose(0, 2, 1, 3))


def _to_fixed_point(f1: Floats) -> NDArray[np.int64]:
    f1 *= _ONE
    return np.rint(f1, out=f1).astype(np.int64)
