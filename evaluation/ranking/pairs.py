"""Comparisons of all pairs of systems as arrays: p-values, and intervals of differences on each test set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .differences import differences
from .results import EVERYTHING
from .standings import Standings
from .tails import Floats

Singles = NDArray[np.float32]


class Pairs:
    """Arrays over main metrics × columns × systems a × systems b; p tests whether a is above b."""

    def __init__(self, systems: Sequence[str], main: Sequence[str], *, scopes: int, sets: int) -> None:
        both = (len(systems), len(systems))
        self._index = {name: index for index, name in enumerate(systems)}
        self._main = main
        # These two are exact, because the document of a standing is made from them.
        self.p: Floats = np.full((len(main), scopes, *both), np.nan)
        self.p_holm: Floats = np.full((len(main), *both), np.nan)
        self.set_p = _nan_array(len(main), sets, *both)
        self.set_low = _nan_array(len(main), sets, *both)
        self.set_high = _nan_array(len(main), sets, *both)

    def put_holm(self, standings: Standings) -> None:
        """Store the corrected p-values over all test sets, where a has the higher figure."""
        for number, metric in enumerate(self._main):
            for pair in standings.pairs(metric):
                if pair.p_holm is not None:
                    self.p_holm[number, self._index[pair.a], self._index[pair.b]] = pair.p_holm

    def put_scope(self, standings: Standings, column: int, scope: str) -> None:
        rows = self._rows(standings)
        for number, metric in enumerate(self._main):
            self.p[number, column][rows] = _p(standings, metric, scope)

    def put_set(self, alone: Standings, column: int) -> None:
        """Store the p-values and intervals of one test set; `alone` are its standings."""
        rows, results, rules = self._rows(alone), alone.results, alone.rules
        (code,) = results.codes
        low, high = differences(results, code, self._main, replicates=rules.replicates, seed=rules.seed)
        for number, metric in enumerate(self._main):
            self.set_p[number, column][rows] = _p(alone, metric, EVERYTHING)
            self.set_low[number, column][rows] = low[number]
            self.set_high[number, column][rows] = high[number]

    def _rows(self, standings: Standings) -> tuple[NDArray[np.intp], ...]:
        rows = np.array([self._index[name] for name in standings.results.systems], dtype=np.intp)
        return np.ix_(rows, rows)


def _nan_array(*shape: int) -> Singles:
    return np.full(shape, np.nan, dtype=np.float32)


def _p(standings: Standings, metric: str, scope: str) -> Floats:
    """By the order of the results; nothing is said of a system against itself."""
    names = list(standings.results.systems)
    p: Floats = np.full((len(names), len(names)), np.nan)
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            value = None if i == j else standings.p(a, b, metric, scope)
            p[i, j] = np.nan if value is None else value
    return p
