"""The bootstrap as it was before it was made fast: arrays of all pairs, all metrics and all scopes at once.

It shares the counts and the draws with the fast one, and nothing after that; `slow_averages.py` is its first
half. Tests require the same bits of both, and `benchmarks/growth.py` measures both in one run. Ranks are made
from printed figures, as defined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluation.ranking.philox import BATCH, multiplicities
from evaluation.ranking.results import Results
from evaluation.ranking.standings import Rules
from evaluation.scoring.presentation import Presentation
from tests.evaluation.slow_averages import macro_averages, plan_of, slow_columns

Array = NDArray[np.float64]
TAIL = 0.025
PENDING = 1000


class SlowTails:
    def __init__(self, replicates: int) -> None:
        self.position = TAIL * (replicates - 1)
        self.keep = min(replicates, int(self.position) + 2)
        self.low: list[Array] = []
        self.high: list[Array] = []

    def add(self, values: Array) -> None:
        self.low.append(values)
        self.high.append(values)
        if sum(part.shape[-1] for part in self.low) >= self.keep + PENDING:
            self.shorten()

    def interval(self) -> tuple[Array, Array]:
        self.shorten()
        low = np.sort(self.low[0], axis=-1)
        high = -np.sort(-self.high[0], axis=-1)
        index = int(self.position)
        fraction, following = self.position - index, min(index + 1, self.keep - 1)
        return (
            low[..., index] + fraction * (low[..., following] - low[..., index]),
            high[..., index] + fraction * (high[..., following] - high[..., index]),
        )

    def shorten(self) -> None:
        low, high = np.concatenate(self.low, axis=-1), np.concatenate(self.high, axis=-1)
        if low.shape[-1] > self.keep:
            low = np.partition(low, self.keep - 1, axis=-1)[..., : self.keep].copy()
            high = np.partition(high, -self.keep, axis=-1)[..., -self.keep :].copy()
        self.low, self.high = [low], [high]


@dataclass
class SlowReplicates:
    """Scopes × metrics × systems: interval, replicates above each other system, replicates at each rank."""

    low: Array
    high: Array
    above: NDArray[np.int64]
    rank_counts: NDArray[np.int64]


def resample_slowly(results: Results, rules: Rules, *, in_print: bool = True) -> SlowReplicates:
    """`in_print` makes ranks by the definition, one printed figure at a time; otherwise by unrounded ones."""
    metrics = results.metrics
    plan = plan_of(results, metrics, rules.replicates, rules.seed, rules.missing, rules.unnumbered)
    scopes, systems = len(results.scopes), len(results.systems)
    tails = [SlowTails(rules.replicates) for _ in range(scopes)]
    above = np.zeros((scopes, len(metrics), systems, systems), dtype=np.int64)
    rank_counts = np.zeros((scopes, len(metrics), systems, int(plan.numbered.sum()) + 1), dtype=np.int64)
    small = np.min_scalar_type(max(BATCH, systems))
    ranks = rank_counts.shape[-1]
    offsets = (np.arange(systems) * ranks)[:, None]
    for batch in range((rules.replicates + BATCH - 1) // BATCH):
        size = min(BATCH, rules.replicates - batch * BATCH)
        macro = np.stack(list(macro_averages(plan, batch, size)))
        for scope, values in zip(tails, macro, strict=True):
            scope.add(values)
        for place in np.ndindex(macro.shape[:2]):
            presentation = plan.presentations[place[1]]
            values = macro[place] if presentation.better == "higher" else -macro[place]
            is_above = (values[:, None, :] > values[None, :, :]).view(np.uint8)
            above[place] += np.add.reduce(is_above, axis=2, dtype=small)
            if in_print:
                values = as_printed(values, presentation)
                is_above = (values[:, None, :] > values[None, :, :]).view(np.uint8)
            rank = np.add.reduce(is_above[plan.numbered], axis=0, dtype=small)
            flat = np.bincount((rank + offsets).ravel(), minlength=systems * ranks)
            rank_counts[place] += flat.reshape(systems, ranks)
    intervals = [scope.interval() for scope in tails]
    return SlowReplicates(
        np.stack([low for low, _ in intervals]),
        np.stack([high for _, high in intervals]),
        above,
        rank_counts,
    )


def as_printed(values: Array, presentation: Presentation) -> Array:
    return np.array([[float(presentation.text(value)) for value in row] for row in values.tolist()])


def differences_slowly(results: Results, rules: Rules, code: str, main: Sequence[str]) -> tuple[Array, Array]:
    """Metrics × systems × systems, of all pairs in both directions at once."""
    column = slow_columns(results, code, main)
    assert column is not None
    tails = SlowTails(rules.replicates)
    for batch in range((rules.replicates + BATCH - 1) // BATCH):
        size = min(BATCH, rules.replicates - batch * BATCH)
        drawn = multiplicities(rules.seed, column.code, column.units, batch, size)
        f1 = column.figures(drawn).transpose(1, 0, 2)
        tails.add(f1[:, :, None] - f1[:, None, :])
    return tails.interval()


def p_slowly(above: int, below: int, rules: Rules) -> float:
    """By the definition, one pair at a time."""
    forward = (1 + rules.replicates - above) / (1 + rules.replicates)
    backward = (1 + rules.replicates - below) / (1 + rules.replicates)
    return forward if rules.test == "one-sided" else min(1.0, 2 * min(forward, backward))


def compute_slowly(results: Results, rules: Rules, main: Sequence[str], *, in_print: bool = True) -> None:
    """Everything of a standing that grows with the square of the systems, for measurements."""
    all_p(resample_slowly(results, rules, in_print=in_print), results, rules, main)
    for code in results.codes:
        alone = results.subset(codes=[code])
        alone = replace(alone, sets=tuple(replace(gold, groups=()) for gold in alone.sets))
        all_p(resample_slowly(alone, rules, in_print=in_print), alone, rules, main)
        differences_slowly(alone, rules, code, main)


def all_p(found: SlowReplicates, results: Results, rules: Rules, main: Sequence[str]) -> Array:
    places = [results.metrics.index(metric) for metric in main]
    above = found.above[:, places]
    p = np.full(above.shape, np.nan)
    for at in np.ndindex(above.shape):
        if at[2] != at[3]:
            p[at] = p_slowly(int(above[at]), int(above[at[0], at[1], at[3], at[2]]), rules)
    return p


def rank_ranges_slowly(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The ranks of the central 95%, given the number of replicates for each rank, on the last axis."""
    rare = TAIL * counts.sum(axis=-1, keepdims=True)
    best = np.argmax(np.cumsum(counts, axis=-1) > rare, axis=-1)
    worst = counts.shape[-1] - 1 - np.argmax(np.cumsum(counts[..., ::-1], axis=-1) > rare, axis=-1)
    return np.stack([best, worst], axis=-1) + 1
