"""The paired bootstrap: replicates of every macro-average of every system, all with the same draws.

In: results and the rules of resampling. Out: for every scope and metric the 95% interval of each system, how
often each system was above each other one, and the range of its ranks.

Every F1 is rounded to a multiple of 2^-50, so that macro-averages are exact sums of whole numbers: the order
of the test sets, the other systems and the number of processes cannot change a bit, and systems with the same
scores tie exactly.

Memory does not grow with the number of metrics: a large field is resampled a few metrics at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..packing import Packed
from ..reading.fields import Ints, Mask
from ..scoring.metric import TableMetric
from ..scoring.presentation import Presentation
from .aggregate import Policy, sort_by_figure
from .averaging import average, averaged_files, averaging_of
from .checkpoint import Checkpoint
from .columns import Columns, columns_of
from .philox import BATCH, multiplicities
from .processes import map_in_processes
from .replicates import Replicates
from .results import Results
from .significance import rank_ranges
from .tails import Floats

_ONE = float(1 << 50)
# Figures of tables may be larger than 1.
_ONE_OF_TABLES = float(1 << 40)
_LARGEST = float(1 << 14)
# The average of a system that has none, where lower is better: worse than any other.
_NONE = 1e300
# What the counts and sums of the metrics that are resampled together may take, in bytes.
_MEMORY = 160 << 20
_TYPICAL_UNITS = 1000


@dataclass(frozen=True)
class BootstrapResult(Packed):
    """Arrays over scopes, metrics and systems, in the order of these tuples."""

    FORMAT: ClassVar[str] = "bootstrap 2"

    scopes: tuple[str, ...]
    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    # The metrics by which all pairs of systems are compared.
    compared: tuple[str, ...]
    replicates: int
    # Scopes × metrics × systems.
    low: Floats
    high: Floats
    # Scopes × compared metrics × systems × systems: the replicates in which the first was above the second.
    above: Ints
    # Scopes × metrics × systems × 2: those in which it was above, and below, the next system.
    next_above: Ints
    # Scopes × metrics × systems: the ranks in the central 95% of the replicates.
    rank_low: Ints
    rank_high: Ints

    @classmethod
    def from_bytes(cls, stored: bytes) -> BootstrapResult:
        read = super().from_bytes(stored)
        names: dict[str, Any] = {
            name: tuple(getattr(read, name)) for name in ("scopes", "metrics", "systems", "compared")
        }
        counts = ("above", "next_above", "rank_low", "rank_high")
        arrays: dict[str, Any] = {name: getattr(read, name).astype(np.int64) for name in counts}
        return replace(read, **names, **arrays)


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
    # Scopes × metrics × systems: the system with the next figure.
    following: Ints
    # Per metric: how its figures are averaged and printed, whether all pairs are compared by it, and what one
    # is in fixed point.
    averaging: tuple[str, ...]
    presentations: tuple[Presentation, ...]
    compared: tuple[bool, ...]
    ones: Floats

    def replicates_of(self) -> Replicates:
        """Nothing yet."""
        return Replicates(self.presentations, self.compared, self.following, self.numbered, self.replicates)


def resample(
    results: Results,
    *,
    metrics: Sequence[str],
    replicates: int,
    seed: int,
    policy: Policy = "zero",
    unnumbered: Collection[str] = (),
    compared: Collection[str] | None = None,
    jobs: int = 1,
    checkpoint: Checkpoint | None = None,
    part: str = "all",
) -> BootstrapResult:
    """Resample all systems on all test sets; all pairs are compared by the metrics in `compared`, or by all.

    With a checkpoint, in one process: it continues what is in the checkpoint's part of this name.
    """
    if replicates < 1:
        raise ValueError(f"the number of replicates must be at least 1, not {replicates}")
    if checkpoint and (finished := checkpoint.result(part)):
        return BootstrapResult.from_bytes(finished)
    blocks = blocks_of(results, metrics)
    parts = [part if len(blocks) == 1 else f"{part} {number}" for number in range(len(blocks))]
    found = []
    for number, block in enumerate(blocks):
        stored = checkpoint.result(parts[number]) if checkpoint else None
        if stored:
            found.append(BootstrapResult.from_bytes(stored))
            continue
        plan = _plan(results, block, compared, replicates, seed, policy, unnumbered)
        if checkpoint:
            shares = number / len(blocks), (number + 1) / len(blocks)
            total = _resample_in_steps(plan, checkpoint, parts[number], shares)
        else:
            total = _resample_in_processes(plan, jobs)
        found.append(_result(results, block, plan, total))
        if checkpoint:
            checkpoint.finish(parts[number], found[-1].to_bytes())
    result = _join(found)
    if checkpoint and len(blocks) > 1:
        checkpoint.finish(part, result.to_bytes())
        for name in parts:
            checkpoint.drop(name)
    return result


def blocks_of(results: Results, metrics: Sequence[str]) -> list[Sequence[str]]:
    """The metrics that are resampled together, so that all of them take a limited amount of memory."""
    sums = len(results.scopes) * BATCH * np.dtype(np.int64).itemsize
    counts = len(results.codes) * _TYPICAL_UNITS
    size = max(1, int(_MEMORY // max(1, len(results.systems) * (sums + counts))))
    return [metrics[begin : begin + size] for begin in range(0, len(metrics), size)] or [metrics]


def _result(results: Results, metrics: Sequence[str], plan: _Plan, total: Replicates) -> BootstrapResult:
    intervals = [tails.interval() for tails in total.tails]
    # One scope at a time, because sums over ranks need as much memory as the counts.
    ranges = np.stack([rank_ranges(counts) for counts in total.rank_counts])
    return BootstrapResult(
        tuple(results.scopes),
        tuple(metrics),
        tuple(results.systems),
        tuple(metric for metric, is_compared in zip(metrics, plan.compared, strict=True) if is_compared),
        plan.replicates,
        np.stack([low for low, _ in intervals]),
        np.stack([high for _, high in intervals]),
        total.above,
        total.next_above,
        ranges[..., 0],
        ranges[..., 1],
    )


def _join(blocks: Sequence[BootstrapResult]) -> BootstrapResult:
    """The metrics of all blocks, in their order."""
    if len(blocks) == 1:
        return blocks[0]
    arrays = ("low", "high", "above", "next_above", "rank_low", "rank_high")
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(block, name) for block in blocks], axis=1) for name in arrays
    }
    return replace(
        blocks[0],
        metrics=tuple(metric for block in blocks for metric in block.metrics),
        compared=tuple(metric for block in blocks for metric in block.compared),
        **joined,
    )


def _plan(
    results: Results,
    metrics: Sequence[str],
    compared: Collection[str] | None,
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
    following = [[_following(results, metric, scope, policy) for metric in metrics] for scope in scopes]
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
        following=np.array(following, dtype=np.int64),
        averaging=averaging,
        presentations=tuple(results.presentation(metric) for metric in metrics),
        compared=tuple(compared is None or metric in compared for metric in metrics),
        ones=np.where(has_table, _ONE_OF_TABLES, _ONE),
    )


def _following(results: Results, metric: str, codes: Sequence[str], policy: Policy) -> list[int]:
    """For each system the one with the next figure; the last is its own."""
    figures = {name: average(results, name, metric, codes, policy) for name in results.systems}
    order = sort_by_figure(figures, results.presentation(metric))
    index = {name: place for place, name in enumerate(results.systems)}
    after = {name: index[other] for name, other in zip(order, [*order[1:], order[-1]], strict=True)}
    return [after[name] for name in results.systems]


def _batches(plan: _Plan) -> range:
    return range((plan.replicates + BATCH - 1) // BATCH)


def _resample_in_processes(plan: _Plan, jobs: int) -> Replicates:
    shares = [_batches(plan)[share :: max(1, jobs)] for share in range(max(1, jobs))]
    total = plan.replicates_of()
    for joined in map_in_processes(partial(_resample, plan), [share for share in shares if share], jobs):
        total.join(joined)
    return total


def _resample(plan: _Plan, batches: Sequence[int]) -> Replicates:
    """Some of the batches; the distribution of batches over processes does not affect the result."""
    replicates = plan.replicates_of()
    for batch in batches:
        _add_batch(plan, batch, replicates)
    return replicates


def _resample_in_steps(
    plan: _Plan, checkpoint: Checkpoint, part: str, shares: tuple[float, float]
) -> Replicates:
    """A step is a batch. `shares` are those of the whole that this begins and ends with."""
    replicates, batches = plan.replicates_of(), _batches(plan)
    stored = checkpoint.parts.get(part)
    done = replicates.restore(stored) if stored else 0
    begin, end = shares
    for batch in batches[done:]:
        _add_batch(plan, batch, replicates)
        share = begin + (end - begin) * (batch + 1) / len(batches)
        checkpoint.step(part, partial(replicates.to_bytes, batch + 1), share=share)
    return replicates


def _add_batch(plan: _Plan, batch: int, replicates: Replicates) -> None:
    size = min(BATCH, plan.replicates - batch * BATCH)
    for scope, averages in enumerate(_macro_averages(plan, batch, size)):
        replicates.add(scope, averages)


def _macro_averages(plan: _Plan, batch: int, size: int) -> Iterator[Floats]:
    """For each scope: metrics × systems × replicates."""
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
    for number, divisors in enumerate(plan.divisors):
        averages = _finish(plan, sums[:, number], divisors)
        yield np.ascontiguousarray(averages.transpose(1, 0, 2))


def _finish(plan: _Plan, sums: NDArray[np.int64], divisors: Ints) -> Floats:
    """From sums over the test sets of a scope to averages: systems × metrics × replicates."""
    means: Floats = sums / (np.maximum(divisors, 1) * plan.ones)[:, :, None]
    averages: Floats = means[0]
    for place, averaging in enumerate(plan.averaging):
        if averaging == "micro":
            numerator, denominator = sums[0][:, place], sums[1][:, place]
            averages[:, place] = numerator / np.maximum(denominator, 1)
        elif averaging == "precision-recall":
            precision, recall = means[0][:, place], means[1][:, place]
            total = precision + recall
            averages[:, place] = 2 * precision * recall / np.where(total > 0, total, 1)
        if plan.presentations[place].sign < 0:
            averages[:, place][divisors[:, place] == 0] = _NONE
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
