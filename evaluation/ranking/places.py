"""Rankings as arrays: figure, interval, rank, rank range and line of every system by every metric."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..packing import Buffer, Packed
from ..reading.fields import Mask
from .printed import printed
from .results import EVERYTHING
from .significance import LEVEL
from .standings import Standings
from .sums_store import KnownIntervals
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
    def from_bytes(cls, stored: Buffer) -> Places:
        read = super().from_bytes(stored)
        return replace(read, systems=tuple(read.systems))

    def intervals_of(self, systems: Collection[str], metrics: Sequence[str]) -> KnownIntervals:
        """Of some of the systems; `metrics` are all of the standing."""
        rows = [row for row, name in enumerate(self.systems) if name in systems]
        names = [self.systems[row] for row in rows]
        return KnownIntervals(systems=names, metrics=metrics, low=self.low[rows], high=self.high[rows])


def places_of(standings: Standings, scope: str = EVERYTHING) -> Places:
    """What `Standings.ranking` says, for all metrics at once."""
    systems, metrics = tuple(standings.results.systems), standings.results.metrics
    places = _no_places(systems, len(metrics), standings.reason(scope))
    numbered = np.array([name not in standings.rules.unnumbered for name in systems], dtype=bool)
    for number, metric in enumerate(metrics):
        figures = np.array(list(standings.averages(metric, scope).values()))
        presentation = standings.results.presentation(metric)
        places.f1[:, number] = figures
        exists = ~np.isnan(figures)
        in_print = printed(np.where(exists, figures, 0.0), presentation).astype(np.int64)
        # A figure that does not exist is worse than any other.
        in_print[~exists] = np.iinfo(np.int64).min
        ahead = (in_print[None, :] > in_print[:, None]) & numbered[None, :]
        places.rank[:, number] = np.where(numbered, ahead.sum(axis=1) + 1, 0)
        arrays = standings.arrays(metric, scope)
        if arrays is None:
            continue
        places.low[:, number] = np.where(exists, arrays.low, np.nan)
        places.high[:, number] = np.where(exists, arrays.high, np.nan)
        places.rank_low[:, number] = np.where(numbered, arrays.rank_low, 0)
        places.rank_high[:, number] = np.where(numbered, arrays.rank_high, 0)
        # Systems that share a rank are not separated.
        differs = in_print != in_print[arrays.following]
        places.line_below[:, number] = differs & (arrays.p_of_next < LEVEL)
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
