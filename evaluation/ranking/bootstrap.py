"""The paired bootstrap: replicates of every macro-average of every system, all with the same draws.

In: results and the rules of resampling. Out: for every scope and metric the 95% interval of each system, how
often each system was above each other one, and the range of its ranks.

Every F1 is rounded to a multiple of 2^-50, so that macro-averages are exact sums of whole numbers: the order
of the test sets, the other systems and the number of processes cannot change a bit, and systems with the same
scores tie exactly.

Test sets are resampled one after the other; a `SumsStore` keeps their sums. An average is finished when the
last of its test sets has been added. So memory does not grow with the number of test sets, and a large field
takes a few metrics at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..packing import Buffer, Packed
from ..reading.fields import Ints
from ..scoring.metric import TableMetric
from ..scoring.presentation import Presentation
from .aggregate import Policy, order_by_figure
from .averaging import averaged_files, averages, averaging_of
from .processes import map_in_processes
from .replicates import Statistics, statistics
from .results import LANGUAGE, Results
from .set_sums import ONE, ONE_OF_TABLES, SetSums, make_set_sums
from .sums_store import SumsStore, temporary_store
from .tails import Floats, Intervals

# Of one metric: one or two terms, each systems × replicates.
Terms = Sequence[NDArray[np.int64]] | NDArray[np.int64]
# The average of a system that has none, where lower is better: worse than any other.
_NONE = 1e300
# What the sums over the test sets of all scopes that are not finished may take, in bytes.
_MEMORY = 160 << 20


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
    def from_bytes(cls, stored: Buffer) -> BootstrapResult:
        read = super().from_bytes(stored)
        names: dict[str, Any] = {
            name: tuple(getattr(read, name)) for name in ("scopes", "metrics", "systems", "compared")
        }
        counts = ("above", "next_above", "rank_low", "rank_high")
        arrays: dict[str, Any] = {name: getattr(read, name).astype(np.int64) for name in counts}
        return replace(read, **names, **arrays)


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """The rules of resampling: which metrics, and by which of them all pairs are compared."""

    metrics: tuple[str, ...]
    compared: frozenset[str]
    replicates: int
    seed: int
    policy: Policy = "zero"
    unnumbered: frozenset[str] = frozenset()


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
    store: SumsStore | None = None,
) -> BootstrapResult:
    """Resample all systems on all test sets; all pairs are compared by the metrics in `compared`, or by all.

    Sums that are in the store are not computed again.
    """
    if replicates < 1:
        raise ValueError(f"the number of replicates must be at least 1, not {replicates}")
    rules = Resampling(
        metrics=tuple(metrics),
        compared=frozenset(metrics if compared is None else compared),
        replicates=replicates,
        seed=seed,
        policy=policy,
        unnumbered=frozenset(unnumbered),
    )
    store = store or temporary_store(results, rules.metrics, replicates)
    fill_store(results, rules, store, jobs)
    blocks = blocks_of(results, rules)
    return _join([_average(results, block, store) for block in blocks])


def fill_store(results: Results, rules: Resampling, store: SumsStore, jobs: int = 1) -> None:
    """Resample the test sets whose sums are not stored yet."""
    missing = [code for code in results.codes if not store.has(code)]
    make = partial(_make, results, rules)
    for code, sums in map_in_processes(make, missing, jobs):
        store.write(code, sums)


def _make(results: Results, rules: Resampling, code: str) -> tuple[str, SetSums | None]:
    alone = results.subset(codes=[code]) if len(results.codes) > 1 else results
    return code, make_set_sums(alone, code, rules.metrics, replicates=rules.replicates, seed=rules.seed)


def blocks_of(results: Results, rules: Resampling) -> list[Resampling]:
    """The metrics that are averaged together, so that the sums take a limited amount of memory."""
    # Test sets of a language follow each other, so that only one language is not finished.
    scopes = 1 + sum(not name.startswith(LANGUAGE) for name in results.scopes)
    size = len(results.systems) * rules.replicates * np.dtype(np.int64).itemsize * scopes
    step, metrics = max(1, _MEMORY // max(1, size)), rules.metrics
    begins = range(0, len(metrics), step)
    return [replace(rules, metrics=metrics[begin : begin + step]) for begin in begins] or [rules]


def _average(results: Results, rules: Resampling, store: SumsStore) -> BootstrapResult:
    """All averages by some metrics."""
    metrics, scopes, systems = rules.metrics, tuple(results.scopes), tuple(results.systems)
    compared = tuple(metric for metric in metrics if metric in rules.compared)
    shape = (len(scopes), len(metrics), len(systems))
    integers = {name: np.zeros(shape, dtype=np.int64) for name in ("rank_low", "rank_high")}
    floats = {name: np.zeros(shape) for name in ("low", "high")}
    next_above = np.zeros((*shape, 2), dtype=np.int64)
    above = np.zeros((len(scopes), len(compared), len(systems), len(systems)), dtype=_counts(rules))
    for scope, sums in _sums_by_scope(results, rules, store):
        for number, metric in enumerate(metrics):
            at = scopes.index(scope), number
            replicates = _averages(results, rules, scope, metric, sums(number))
            known = store.known[scope].of(systems, metric) if scope in store.known else None
            described = _describe(results, rules, scope, metric, replicates, known)
            for name in (*integers, *floats):
                (integers | floats)[name][at] = getattr(described, name)
            next_above[at] = described.next_above
            if described.above is not None:
                above[at[0], compared.index(metric)] = described.above
    arrays: dict[str, Any] = {**integers, **floats, "above": above, "next_above": next_above}
    return BootstrapResult(
        scopes=scopes,
        metrics=metrics,
        systems=systems,
        compared=compared,
        replicates=rules.replicates,
        **arrays,
    )


def _counts(rules: Resampling) -> type[np.signedinteger[Any]]:
    return np.int32 if rules.replicates < 1 << 31 else np.int64


def _describe(
    results: Results,
    rules: Resampling,
    scope: str,
    metric: str,
    replicates: Floats,
    known: Intervals | None,
) -> Statistics:
    return statistics(
        replicates,
        results.presentation(metric),
        following(
            averages(results, metric, results.scopes[scope], rules.policy), results.presentation(metric)
        ),
        np.array([name not in rules.unnumbered for name in results.systems], dtype=bool),
        compare_all=metric in rules.compared,
        known=known,
    )


def _sums_by_scope(
    results: Results, rules: Resampling, store: SumsStore
) -> Iterator[tuple[str, Callable[[int], Terms]]]:
    """For each scope, when all its test sets have been added: the sums of each metric."""
    single = store.read(results.codes[0]) if len(results.codes) == 1 else None
    if single is not None and single.systems == tuple(results.systems):
        # Nothing is added up, and one metric at a time is in memory.
        for scope in results.scopes:
            yield scope, lambda number: single.terms(rules.metrics[number])
        return
    index = {name: row for row, name in enumerate(results.systems)}
    terms = 1 if all(averaging_of(results, metric) == "figures" for metric in rules.metrics) else 2
    shape = (len(rules.metrics), terms, len(index), rules.replicates)
    left = {scope: set(codes) for scope, codes in results.scopes.items()}
    totals: dict[str, NDArray[np.int64]] = {}
    for gold in sorted(results.sets, key=lambda gold: (gold.language, gold.code)):
        sums = store.read(gold.code)
        members = [scope for scope, codes in results.scopes.items() if gold.code in codes]
        for scope in members:
            left[scope].discard(gold.code)
            if scope not in totals:
                totals[scope] = np.zeros(shape, dtype=np.int64)
        if sums is not None:
            _add(results, rules, sums, index, [totals[scope] for scope in members])
        for scope in members:
            if not left[scope]:
                yield scope, totals.pop(scope).__getitem__


def _add(
    results: Results,
    rules: Resampling,
    sums: SetSums,
    index: dict[str, int],
    totals: Sequence[NDArray[np.int64]],
) -> None:
    """Add a test set to all averages that it is part of."""
    present = np.array([index[name] for name in sums.systems])
    everyone = len(present) == len(index)
    for number, metric in enumerate(rules.metrics):
        for block in sums.blocks():
            rows: Any = block if everyone else present[block]
            for place, term in enumerate(sums.terms(metric, block)):
                for total in totals:
                    total[number, place, rows] += term
    # In micro-averages the gold items of a missing file count, unless such files are excluded.
    is_absent = np.ones(len(index), dtype=bool)
    is_absent[present] = False
    for number, metric in enumerate(rules.metrics):
        if is_absent.any() and rules.policy == "zero" and averaging_of(results, metric) == "micro":
            for total in totals:
                total[number, 1, is_absent] += sums.gold(metric).astype(np.int64)


def _averages(results: Results, rules: Resampling, scope: str, metric: str, sums: Terms) -> Floats:
    """From sums over the test sets of a scope to averages: systems × replicates."""
    codes, averaging = results.scopes[scope], averaging_of(results, metric)
    divisors = _divisors(results, metric, codes, rules.policy)
    scale = ONE_OF_TABLES if isinstance(results.definitions[metric], TableMetric) else ONE
    if averaging == "micro":
        ratio: Floats = sums[0] / np.maximum(sums[1], 1)
        return ratio
    means: list[Floats] = [part / (np.maximum(divisors, 1) * scale)[:, None] for part in sums]
    average = means[0]
    if averaging == "precision-recall":
        precision, recall = means
        total = precision + recall
        average = 2 * precision * recall / np.where(total > 0, total, 1)
    if results.presentation(metric).sign < 0:
        average[divisors == 0] = _NONE
    return average


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


def _divisors(results: Results, metric: str, codes: Sequence[str], policy: Policy) -> Ints:
    """Over how many test sets the average of each system is taken."""
    if policy == "zero" and results.presentation(metric).better == "higher":
        return np.full(len(results.systems), len(codes), dtype=np.int64)
    averaged = [averaged_files(results, name, metric, codes, policy) for name in results.systems]
    return np.array(averaged, dtype=np.int64)


def following(figures: Mapping[str, float], presentation: Presentation) -> Ints:
    """For each system the one with the next figure; the last is its own."""
    order = order_by_figure(figures, presentation)
    after = np.empty_like(order)
    after[order] = np.append(order[1:], order[-1:])
    return after
