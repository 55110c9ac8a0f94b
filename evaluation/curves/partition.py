"""Scores of series over the classes that are simple, or complex, in a reference series.

In: for each series, its `Tallies` by test set. Out: `SeriesScore`s. Every series is resampled with the same
sentences, so that differences from the reference are paired. Of several test sets each has its own partition.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .analyse import spread_of_parts
from .counts import Floats
from .figures import spread_of_average
from .intervals import Interval, interval
from .measures import PARTS, measure, resample
from .tallies import Tallies

SeriesTallies = Mapping[str, Mapping[str, Tallies]]
"""By the name of the series and that of the test set; a series may lack a test set."""
_IS_SIMPLE = np.array([True, False])


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """The simple classes of each test set, and how replicates are drawn."""

    by: str
    simple: Mapping[str, Collection[str]]
    replicates: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PartScore:
    """UAS; the standard deviation over samples; UAS minus that of the reference."""

    uas: float
    interval: Interval | None
    spread: float | None
    difference: tuple[float, Interval | None] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesScore:
    """A series at one size, by part (None: no words), over these test sets."""

    series: str
    size: int
    parts: Mapping[str, PartScore | None]
    test_sets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetScores:
    """One series on one test set: `curves[part, size]`, and replicates of it."""

    sizes: tuple[int, ...]
    curves: Floats
    drawn: Floats | None
    spread: Mapping[str, Sequence[float | None]]


def partition_scores(tallies: Tallies, partition: Partition) -> SetScores:
    counts = tallies.partition(partition.by, partition.simple[tallies.name])
    totals = counts.totals()
    drawn = resample(counts, _IS_SIMPLE, replicates=partition.replicates, seed=partition.seed)
    return SetScores(
        counts.sizes,
        measure(counts, totals, _IS_SIMPLE).curves,
        None if drawn is None else drawn.curves,
        spread_of_parts(counts, totals, _IS_SIMPLE),
    )


def compare_scores(series: SeriesTallies, reference: str, partition: Partition) -> list[SeriesScore]:
    """By size, and then in the order of the series."""
    scores = {
        name: {
            code: partition_scores(each, partition) for code, each in sets.items() if code in partition.simple
        }
        for name, sets in series.items()
    }
    sizes = sorted({size for sets in scores.values() for each in sets.values() for size in each.sizes})
    return [
        score
        for size in sizes
        for name, sets in scores.items()
        if (score := _score(name, size, sets, {} if name == reference else scores[reference]))
    ]


def _score(
    name: str, size: int, sets: Mapping[str, SetScores], reference: Mapping[str, SetScores]
) -> SeriesScore | None:
    """The average over the test sets with this size; None without any."""
    members = {code: each for code, each in sets.items() if size in each.sizes}
    if not members:
        return None
    uas, drawn = _mean(list(members.values()), size)
    paired = [reference[code] for code in members if code in reference and size in reference[code].sizes]
    base, drawn_base = _mean(paired, size) if len(paired) == len(members) else (None, None)
    parts: dict[str, PartScore | None] = {}
    for n, part in enumerate(PARTS):
        drawn_difference = None if drawn is None or drawn_base is None else drawn[:, n] - drawn_base[:, n]
        parts[part] = (
            None
            if math.isnan(uas[n])
            else PartScore(
                uas=float(uas[n]),
                interval=interval(None if drawn is None else drawn[:, n]),
                spread=spread_of_average(
                    [each.spread[part][each.sizes.index(size)] for each in members.values()]
                ),
                difference=None if base is None else (float(uas[n] - base[n]), interval(drawn_difference)),
            )
        )
    return SeriesScore(series=name, size=size, parts=parts, test_sets=tuple(members))


def _mean(sets: Sequence[SetScores], size: int) -> tuple[Floats, Floats | None]:
    """[parts], and replicates of it; a part that some test set does not have is NaN."""
    places = [each.sizes.index(size) for each in sets]
    uas = np.mean([each.curves[:, place] for each, place in zip(sets, places, strict=True)], axis=0)
    drawn = [
        each.drawn[:, :, place] for each, place in zip(sets, places, strict=True) if each.drawn is not None
    ]
    return uas, np.mean(drawn, axis=0) if len(drawn) == len(sets) else None
