"""Replicates of all averages as they were computed before it was made fast: all metrics and scopes at once.

Sums over units, figures and averages are those of the code before, batch after batch. It shares the draws
and the tables of counts with the fast one. Not for micro-averages with missing files of metrics with tables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.ranking.aggregate import Policy
from evaluation.ranking.averaging import averaged_files, averaging_of
from evaluation.ranking.philox import multiplicities
from evaluation.ranking.results import Results
from evaluation.ranking.table_columns import TableColumns, table_columns_of
from evaluation.reading.fields import Ints, Mask
from evaluation.scoring.metric import TableMetric
from evaluation.scoring.presentation import Presentation
from evaluation.scoring.profile import Averaging

Array = NDArray[np.float64]
ONE = float(1 << 50)
ONE_OF_TABLES = float(1 << 40)
LARGEST = float(1 << 14)
NONE = 1e300
_EXACT_IN_SINGLE = 1 << 24
_GOLD, _SYSTEM, _CORRECT = 0, 1, 2


@dataclass(frozen=True, slots=True)
class SlowColumns:
    """One test set. `size_at`, `correct_at` and `gold_at` give the column of each system, by row, and metric.

    Where precision and recall are averaged first, the size is that of the system alone.
    """

    code: str
    # The indices of the systems with a valid file: the rows of the next three.
    systems: Ints
    size_at: Ints
    correct_at: Ints
    gold_at: Ints
    # Units × columns, in the narrowest type.
    values: NDArray[np.unsignedinteger]
    averaging: Averaging
    # The places of the metrics with counts, and those with tables.
    counted: Ints
    tables: TableColumns

    @property
    def units(self) -> int:
        return len(self.values)

    def totals(self, multiplicity: NDArray[np.float32]) -> NDArray[np.floating]:
        """The sum of every column in every replicate: columns × replicates, exact on every machine.

        A sum cannot exceed the number of units times the largest value; that decides the precision needed.
        """
        bound = self.units * int(self.values.max(initial=0))
        if bound < _EXACT_IN_SINGLE:
            product: NDArray[np.floating] = multiplicity @ self.values.astype(np.float32)
        elif bound < 1 << 53:
            product = multiplicity.astype(np.float64) @ self.values.astype(np.float64)
        else:
            raise ValueError(f"the counts of {self.code} are too large to be summed exactly")
        return np.ascontiguousarray(product.T)

    def f1(self, totals: NDArray[np.floating]) -> Array:
        """Systems × metrics with counts × replicates."""
        size = totals[self.size_at].astype(np.float64)
        if self.averaging == "precision-recall":
            size += totals[self.gold_at]
        correct = totals[self.correct_at].astype(np.float64)
        correct *= 2
        return _divide(correct, size)

    def figures(self, multiplicity: NDArray[np.float32]) -> Array:
        """The figures of this test set: systems × metrics × replicates."""
        counted = self.f1(self.totals(multiplicity))
        return self._with_tables(counted, multiplicity)

    def terms(self, multiplicity: NDArray[np.float32]) -> list[Array]:
        """What is averaged over test sets: each an array systems × metrics × replicates.

        The figures; or precision and recall; or the counts `2 · correct` and `gold + system` themselves.
        """
        if self.averaging == "figures":
            return [self.figures(multiplicity)]
        totals = self.totals(multiplicity)
        correct, size = (totals[at].astype(np.float64) for at in (self.correct_at, self.size_at))
        if self.averaging == "micro":
            numerators, denominators = 2 * correct, size
        else:
            gold = totals[self.gold_at].astype(np.float64)
            numerators, denominators = _divide(correct.copy(), size), _divide(correct, gold)
        return [self._with_tables(part, multiplicity) for part in (numerators, denominators)]

    def _with_tables(self, counted: Array, multiplicity: NDArray[np.float32]) -> Array:
        """The metrics with tables in their places among those with counts."""
        if not len(self.tables.metrics):
            return counted
        figures = np.empty(
            (len(self.systems), len(self.counted) + len(self.tables.metrics), len(multiplicity))
        )
        figures[:, self.counted] = counted
        figures[:, self.tables.metrics] = self.tables.figures(multiplicity)
        return figures


def _divide(numerator: Array, denominator: Array) -> Array:
    """In place. Where the denominator is 0, so is the numerator, and 0 / 1 gives the required 0."""
    return np.divide(numerator, np.maximum(denominator, 1, out=denominator), out=numerator)


def slow_columns(
    results: Results, code: str, metrics: Sequence[str], policy: Policy = "exclude"
) -> SlowColumns | None:
    """The columns of one test set; None if no system has a valid file.

    In micro-averages, the gold items of a missing file count if the policy is `zero`.
    """
    averaging = results.rules.averaging
    counted = [n for n, m in enumerate(metrics) if not isinstance(results.definitions[m], TableMetric)]
    names = [metrics[n] for n in counted]
    valid = [n for n, s in enumerate(results.systems) if results.outcome(s, code).status == "valid"]
    if not valid:
        return None
    systems = list(range(len(results.systems))) if averaging == "micro" and policy == "zero" else valid
    values = _values(results, code, valid, names)
    gold = next(iter(values.values()))[:, :, _GOLD].astype(np.int64)
    if not len(gold):
        raise ValueError(f"the test set {code} has no units")
    known: dict[bytes, int] = {}

    def place(columns: Ints) -> list[int]:
        return [known.setdefault(column.tobytes(), len(known)) for column in columns.T]

    sizes, corrects = [], []
    for row in systems:
        system = values[row][:, :, _SYSTEM] if row in values else np.zeros_like(gold)
        correct = values[row][:, :, _CORRECT] if row in values else np.zeros_like(gold)
        sizes.append(place(system.astype(np.int64) + (0 if averaging == "precision-recall" else gold)))
        corrects.append(place(correct.astype(np.int64)))
    golds = [place(gold) if averaging == "precision-recall" else [0] * len(names)] * len(systems)
    matrix = np.frombuffer(b"".join(known), dtype=np.int64).reshape(len(known), len(gold))
    narrow = matrix.astype(np.min_scalar_type(int(matrix.max(initial=0))))
    shape = (len(systems), len(names))
    return SlowColumns(
        code,
        np.array(systems),
        np.array(sizes, dtype=np.int64).reshape(shape),
        np.array(corrects, dtype=np.int64).reshape(shape),
        np.array(golds, dtype=np.int64).reshape(shape),
        np.ascontiguousarray(narrow.T),
        averaging,
        np.array(counted, dtype=np.int64),
        table_columns_of(results, code, metrics, valid),
    )


def _values(
    results: Results, code: str, valid: Sequence[int], names: Sequence[str]
) -> dict[int, NDArray[np.int32]]:
    """The counts of each system with a valid file, by its row: units × metrics × 4."""
    values: dict[int, NDArray[np.int32]] = {}
    systems = list(results.systems)
    for row in valid:
        name, counts = systems[row], results.outcome(systems[row], code).counts
        missing = [metric for metric in names if metric not in counts.metrics]
        if missing:
            raise ValueError(f"{name} was not scored for {', '.join(missing)} on {code}")
        values[row] = counts.values[:, [counts.metrics.index(metric) for metric in names]]
        if not np.array_equal(values[valid[0]][:, :, _GOLD], values[row][:, :, _GOLD]):
            raise ValueError(f"the systems were scored against different gold files on {code}; see {name}")
    return values


@dataclass(frozen=True)
class Plan:
    """The input of a resampling process: the counts, and the test sets to average over."""

    columns: tuple[SlowColumns, ...]
    seed: int
    replicates: int
    systems: int
    # Scopes × test sets: whether the scope includes the test set.
    members: Mask
    # Scopes × systems × metrics: the number of test sets in the average of the system.
    divisors: Ints
    numbered: Mask
    # Per metric: how its figures are averaged and printed, and what one is in fixed point.
    averaging: tuple[str, ...]
    presentations: tuple[Presentation, ...]
    ones: Array


def plan_of(
    results: Results,
    metrics: Sequence[str],
    replicates: int,
    seed: int,
    policy: Policy,
    unnumbered: Collection[str],
) -> Plan:
    codes, systems, scopes = results.codes, results.systems, results.scopes.values()
    columns = tuple(c for code in codes if (c := slow_columns(results, code, metrics, policy)) is not None)
    averaged = [
        [[averaged_files(results, name, metric, scope, policy) for metric in metrics] for name in systems]
        for scope in scopes
    ]
    averaging = tuple(averaging_of(results, metric) for metric in metrics)
    has_table = [isinstance(results.definitions[metric], TableMetric) for metric in metrics]
    return Plan(
        columns=columns,
        seed=seed,
        replicates=replicates,
        systems=len(systems),
        members=np.array([[c.code in scope for c in columns] for scope in scopes], dtype=bool),
        divisors=np.array(averaged, dtype=np.int64),
        numbered=np.array([name not in unnumbered for name in systems], dtype=bool),
        averaging=averaging,
        presentations=tuple(results.presentation(metric) for metric in metrics),
        ones=np.where(has_table, ONE_OF_TABLES, ONE),
    )


def macro_averages(plan: Plan, batch: int, size: int) -> Iterator[Array]:
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


def _finish(plan: Plan, sums: NDArray[np.int64], divisors: Ints) -> Array:
    """From sums over the test sets of a scope to averages: systems × metrics × replicates."""
    means: Array = sums / (np.maximum(divisors, 1) * plan.ones)[:, :, None]
    averages: Array = means[0]
    for place, averaging in enumerate(plan.averaging):
        if averaging == "micro":
            numerator, denominator = sums[0][:, place], sums[1][:, place]
            averages[:, place] = numerator / np.maximum(denominator, 1)
        elif averaging == "precision-recall":
            precision, recall = means[0][:, place], means[1][:, place]
            total = precision + recall
            averages[:, place] = 2 * precision * recall / np.where(total > 0, total, 1)
        if plan.presentations[place].sign < 0:
            averages[:, place][divisors[:, place] == 0] = NONE
    return averages


def _to_fixed_point(plan: Plan, figures: Array) -> NDArray[np.int64]:
    """Counts of micro-averages are whole numbers already."""
    if "micro" in plan.averaging or plan.ones.min() < ONE:
        ones = np.where([averaging == "micro" for averaging in plan.averaging], 1.0, plan.ones)
        largest = float(np.abs(figures[:, plan.ones < ONE]).max(initial=0))
        if largest >= LARGEST:
            raise ValueError(f"figures must be below {LARGEST:,.0f} to be averaged; there was {largest:,.0f}")
        figures *= ones[None, :, None]
    else:
        figures *= ONE
    return np.rint(figures, out=figures).astype(np.int64)
