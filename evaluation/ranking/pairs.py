"""Comparisons of all pairs of systems as arrays: p-values, and intervals of differences on a test set.

They grow with the square of the number of systems. So each scope and each test set has its own, in which
every pair is stored once, and whoever shows a pair reads only those.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..packing import Buffer, Packed
from .aggregate import order_by_figure
from .differences import differences
from .results import EVERYTHING
from .significance import holm, too_few_replicates
from .standings import Standings
from .tails import Floats

Singles = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, eq=False)
class Pairs(Packed):
    """One scope or test set: arrays over main metrics × pairs of systems, in the order of `combinations`.

    p is that of the system with the better figure. There may be none of the others: then they have no pairs.
    """

    FORMAT: ClassVar[str] = "pairs 1"

    systems: tuple[str, ...]
    main: tuple[str, ...]
    # Exact, because the document of a standing is made from them.
    p: Floats
    p_holm: Floats
    # The interval of the first figure minus the second.
    low: Singles
    high: Singles

    @classmethod
    def from_bytes(cls, stored: Buffer) -> Pairs:
        read = super().from_bytes(stored)
        return replace(read, systems=tuple(read.systems), main=tuple(read.main))

    def p_of(self, metric: str, a: str, b: str) -> float | None:
        """The p-value of the difference between two systems."""
        return self._value(self.p, metric, a, b)

    def p_holm_of(self, metric: str, a: str, b: str) -> float | None:
        return self._value(self.p_holm, metric, a, b)

    def interval_of(self, metric: str, a: str, b: str) -> tuple[float, float] | None:
        """The interval of the figure of a minus that of b."""
        low, high = self._value(self.low, metric, a, b), self._value(self.high, metric, a, b)
        if low is None or high is None:
            return None
        return (low, high) if self._row[a] < self._row[b] else (-high, -low)

    def among(self, systems: Collection[str]) -> Pairs:
        """Of some of the systems only."""
        rows = [row for row, name in enumerate(self.systems) if name in systems]
        first, second = np.triu_indices(len(self.systems), 1)
        chosen = np.isin(first, rows) & np.isin(second, rows)
        arrays = {
            name: array[:, chosen] if (array := getattr(self, name)).shape[1] else array
            for name in ("p", "p_holm", "low", "high")
        }
        return replace(self, systems=tuple(self.systems[row] for row in rows), **arrays)

    def _value(self, array: NDArray[Any], metric: str, a: str, b: str) -> float | None:
        if metric not in self.main or not {a, b} <= self._row.keys() or not array.shape[1]:
            return None
        first, second = sorted((self._row[a], self._row[b]))
        place = _place(first, second, len(self.systems))
        value = float(array[self.main.index(metric), place])
        return None if value != value else value

    @cached_property
    def _row(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.systems)}


def _place(first: Any, second: Any, systems: int) -> Any:
    """Of a pair, or of many, in the order of `combinations`."""
    return first * (2 * systems - first - 1) // 2 + second - first - 1


def pairs_of_scope(standings: Standings, main: Sequence[str], scope: str) -> Pairs:
    """p-values; over all test sets also the corrected ones."""
    return _pairs(standings, main, scope, corrected=scope == EVERYTHING)


def pairs_on_set(alone: Standings, main: Sequence[str], known: Pairs | None = None) -> Pairs:
    """p-values and intervals of one test set; `alone` are its standings.

    Intervals that are `known` are not computed again: they depend on the files of two systems alone.
    """
    pairs, results, rules = _pairs(alone, main, EVERYTHING), alone.results, alone.rules
    # Without any valid file there are no pairs, and nothing to draw.
    if alone.reason() or not rules.replicates or not results.systems:
        return pairs
    (code,) = results.codes
    sums = alone.sums.read(code) if alone.sums else None
    assert sums is not None, "all metrics of the test set were resampled"
    has_known = known is not None and known.main == tuple(main) and known.low.shape[1]
    old = known.systems if known is not None and has_known else ()
    low, high = differences(sums, main, known=old)
    if known is not None and has_known:
        first, second = np.triu_indices(len(results.systems), 1)
        index = {name: row for row, name in enumerate(old)}
        at = np.array([index.get(name, -1) for name in results.systems])
        both = (at[first] >= 0) & (at[second] >= 0)
        places = _place(at[first[both]], at[second[both]], len(old))
        low[:, both], high[:, both] = known.low[:, places], known.high[:, places]
    return replace(pairs, low=low.astype(np.float32), high=high.astype(np.float32))


def _pairs(standings: Standings, main: Sequence[str], scope: str, *, corrected: bool = False) -> Pairs:
    systems = tuple(standings.results.systems)
    none = np.zeros((len(main), 0))
    p = [_p(standings, metric, scope) for metric in main]
    return Pairs(
        systems=systems,
        main=tuple(main),
        p=np.array(p).reshape(len(main), -1),
        p_holm=np.array([_p_holm(standings, values) for values in p]) if corrected else none,
        low=none.astype(np.float32),
        high=none.astype(np.float32),
    )


def _p(standings: Standings, metric: str, scope: str) -> Floats:
    """Of every pair, for the one that has the better figure."""
    count = len(standings.results.systems)
    first, second = np.triu_indices(count, 1)
    values = standings.p_values(metric, scope)
    if values is None:
        return np.full(len(first), np.nan)
    order = order_by_figure(standings.averages(metric, scope), standings.results.presentation(metric))
    places = np.argsort(order)
    is_better = places[first] < places[second]
    return np.where(is_better, values[first, second], values[second, first])


def _p_holm(standings: Standings, p: Floats) -> Floats:
    """Corrected over all pairs of a table; NaN where `Standings.pairs` gives a reason instead."""
    rules = standings.rules
    if standings.reason() or np.isnan(p).any() or too_few_replicates(len(p), rules.replicates, rules.test):
        return np.full(len(p), np.nan)
    return np.array(holm(p.tolist()), dtype=np.float64)
