"""Rankings as arrays: figure, interval, rank, rank range and line of every system, column and metric."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..reading.fields import Mask
from .results import EVERYTHING
from .standings import Place, Standings
from .tails import Floats

Ranks = NDArray[np.int16]
"""0 where there is no rank."""


class Places:
    """Arrays over systems × columns × metrics; a column is a scope or a test set."""

    def __init__(self, systems: Sequence[str], columns: int, metrics: Sequence[str]) -> None:
        shape = (len(systems), columns, len(metrics))
        self._index = {name: index for index, name in enumerate(systems)}
        self._metrics = metrics
        self.f1: Floats = np.full(shape, np.nan)
        self.low: Floats = np.full(shape, np.nan)
        self.high: Floats = np.full(shape, np.nan)
        self.rank: Ranks = np.zeros(shape, dtype=np.int16)
        self.rank_low: Ranks = np.zeros(shape, dtype=np.int16)
        self.rank_high: Ranks = np.zeros(shape, dtype=np.int16)
        self.line_below: Mask = np.zeros(shape, dtype=bool)

    def put(self, standings: Standings, column: int, scope: str = EVERYTHING) -> None:
        """Store the rankings by all metrics."""
        for number, metric in enumerate(self._metrics):
            for place in standings.ranking(metric, scope):
                self._put(place, (self._index[place.system], column, number))

    def put_figures(self, standings: Standings, column: int, scope: str = EVERYTHING) -> None:
        """Store only the figures, for systems that are listed without a rank."""
        for number, metric in enumerate(self._metrics):
            for system, f1 in standings.averages(metric, scope).items():
                self.f1[self._index[system], column, number] = f1

    def _put(self, place: Place, at: tuple[int, int, int]) -> None:
        self.f1[at] = place.f1
        if place.low is not None and place.high is not None:
            self.low[at], self.high[at] = place.low, place.high
        self.rank[at] = place.rank or 0
        self.rank_low[at], self.rank_high[at] = place.rank_range or (0, 0)
        self.line_below[at] = place.line_below
