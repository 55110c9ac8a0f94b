"""Rankings as arrays: figure, interval, rank, rank range and line of every system by every metric."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..packing import Packed
from ..reading.fields import Mask
from .results import EVERYTHING
from .standings import Standings
from .tails import Floats

Ranks = NDArray[np.int16]
"""0 where there is no rank."""
OF_PLACES = ("f1", "low", "high", "rank", "rank_low", "rank_high", "line_below")


@dataclass(frozen=True, kw_only=True, eq=False)
class Places(Packed):
    """One column of a standing, a scope or a test set: arrays over systems × metrics."""

    FORMAT: ClassVar[str] = "places 1"

    systems: tuple[str, ...]
    f1: Floats
    low: Floats
    high: Floats
    rank: Ranks
    rank_low: Ranks
    rank_high: Ranks
    line_below: Mask
    # Why there are no intervals; empty if there are.
    reason: str

    @classmethod
    def from_bytes(cls, stored: bytes) -> Places:
        read = super().from_bytes(stored)
        return replace(read, systems=tuple(read.systems))


def places_of(standings: Standings, scope: str = EVERYTHING) -> Places:
    systems, metrics = tuple(standings.results.systems), standings.results.metrics
    places = _no_places(systems, len(metrics), standings.reason(scope))
    index = {name: row for row, name in enumerate(systems)}
    for number, metric in enumerate(metrics):
        for place in standings.ranking(metric, scope):
            at = index[place.system], number
            places.f1[at] = place.f1
            if place.low is not None and place.high is not None:
                places.low[at], places.high[at] = place.low, place.high
            places.rank[at] = place.rank or 0
            places.rank_low[at], places.rank_high[at] = place.rank_range or (0, 0)
            places.line_below[at] = place.line_below
    return places


def figures_alone(standings: Standings, scope: str = EVERYTHING) -> Places:
    """Only the figures, of systems that are listed without a rank."""
    systems, metrics = tuple(standings.results.systems), standings.results.metrics
    places = _no_places(systems, len(metrics), "")
    for number, metric in enumerate(metrics):
        averages = standings.averages(metric, scope)
        places.f1[:, number] = [averages[name] for name in systems]
    return places


def _no_places(systems: tuple[str, ...], metrics: int, reason: str) -> Places:
    shape = (len(systems), metrics)
    figures: dict[str, Any] = {name: np.full(shape, np.nan) for name in ("f1", "low", "high")}
    ranks: dict[str, Any] = {
        name: np.zeros(shape, dtype=np.int16) for name in ("rank", "rank_low", "rank_high")
    }
    return Places(systems=systems, line_below=np.zeros(shape, dtype=bool), reason=reason, **figures, **ranks)
