"""The analysis of a series on one test set or, averaged, on several: everything that is shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from .counts import Floats
from .intervals import Interval, interval, interval_of_sentences
from .measures import PARTS
from .placement import Placement, place
from .ranks import most_different, spearman

LEAST_WORDS = 30
"""A class with fewer words in a test set is rare: it is listed, but neither averaged nor ranked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassCurve:
    """One class: its UAS at every size, also normalised, and its COMPLEXITY (None: undefined)."""

    words: int
    uas: Sequence[float]
    normalised: Sequence[float] | None
    complexity: float | None
    interval: Interval | None
    # The standard deviation over samples at every size; None where it is unknown.
    spread: Sequence[float | None]
    # The number of test sets with enough words of the class, and in how many of them it is simple.
    treebanks: int
    simple_in: int

    @property
    def is_simple(self) -> bool:
        return self.complexity is not None and self.complexity < 0

    @property
    def falls(self) -> bool:
        return any(after < before for before, after in pairwise(self.uas))


@dataclass(frozen=True, slots=True, kw_only=True)
class PartCurve:
    """UAS over all words, those of simple classes, or those of complex ones, at every size."""

    uas: Sequence[float]
    intervals: Sequence[Interval | None]
    spread: Sequence[float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedScore:
    """A score of a system on the curve of the same part."""

    placement: Placement
    uas_interval: Interval | None
    sentences_interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedSystem:
    """A system by part; None where there are no words, or where only an overall score is known."""

    parts: Mapping[str, PlacedScore | None]
    treebanks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """UAS of the first system minus that of the second, by part."""

    first: str
    second: str
    parts: Mapping[str, tuple[float, Interval | None] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Everything about a series; for an average, `treebanks` are the test sets."""

    name: str
    by: str
    sizes: tuple[int, ...]
    # The number of samples of each size; None in averages.
    samples: tuple[int, ...] | None
    # The curve of all words in percent of its last value; COMPLEXITY is measured against it.
    normalised: Sequence[float]
    classes: Mapping[str, ClassCurve]
    parts: Mapping[str, PartCurve | None]
    systems: Mapping[str, PlacedSystem]
    differences: Sequence[Difference]
    treebanks: tuple[str, ...]
    notes: tuple[str, ...]
    replicates: int
    seed: int

    @property
    def title(self) -> str:
        return f"Average of {', '.join(self.treebanks)}" if self.treebanks else self.name

    @property
    def simple(self) -> list[str]:
        return [name for name, curve in self.classes.items() if curve.is_simple]

    @property
    def rho(self) -> float | None:
        """Spearman's ρ between COMPLEXITY and UAS at the largest size, over classes that are not rare."""
        ranked = self._ranked()
        return spearman(list(ranked.values()), [self.classes[name].uas[-1] for name in ranked])

    @property
    def marked(self) -> list[str]:
        """The classes whose ranks by COMPLEXITY and by UAS differ most."""
        ranked = self._ranked()
        return most_different(ranked, {name: self.classes[name].uas[-1] for name in ranked})

    def _ranked(self) -> dict[str, float]:
        """Ranks of rare classes would be chance."""
        return {
            name: curve.complexity
            for name, curve in self.classes.items()
            if curve.complexity is not None and curve.words >= LEAST_WORDS
        }


def part_curves(
    curves: Floats, replicates: Floats | None, spread: Mapping[str, Sequence[float | None]]
) -> dict[str, PartCurve | None]:
    """[parts, sizes] and, with a leading axis, replicates of it; a part without words is None."""
    return {
        part: None
        if math.isnan(curves[n, 0])
        else PartCurve(
            uas=curves[n].tolist(),
            intervals=[
                interval(None if replicates is None else replicates[:, n, size])
                for size in range(curves.shape[1])
            ],
            spread=spread[part],
        )
        for n, part in enumerate(PARTS)
    }


def place_parts(
    uas: Floats,
    sizes: Sequence[int],
    curves: Floats,
    *,
    uas_replicates: Floats | None,
    curve_replicates: Floats | None,
) -> dict[str, PlacedScore | None]:
    """A system's scores [parts] on the curves [parts, sizes]."""
    placed: dict[str, PlacedScore | None] = {}
    for n, part in enumerate(PARTS):
        scores = None if uas_replicates is None else uas_replicates[:, n]
        curve = None if curve_replicates is None else curve_replicates[:, n]
        placed[part] = (
            None
            if math.isnan(uas[n]) or math.isnan(curves[n, 0])
            else PlacedScore(
                placement=place(float(uas[n]), sizes, curves[n].tolist()),
                uas_interval=interval(scores),
                sentences_interval=interval_of_sentences(scores, sizes, curve),
            )
        )
    return placed


def place_score(
    uas: float, sizes: Sequence[int], curve: Floats, replicates: Floats | None
) -> dict[str, PlacedScore | None]:
    """A published score, of which nothing but its value is known, on the curve of all words."""
    scores = None if replicates is None else replicates[:, 0] * 0 + uas
    placed = PlacedScore(
        placement=place(uas, sizes, curve.tolist()),
        uas_interval=None,
        sentences_interval=interval_of_sentences(scores, sizes, replicates),
    )
    return {PARTS[0]: placed, **dict.fromkeys(PARTS[1:])}


def with_score(analysis: Analysis, name: str, uas: float) -> Analysis:
    """With a published score, without intervals, on the curve of all words, if there is one."""
    curve = analysis.parts[PARTS[0]]
    if curve is None:
        return analysis
    placed = PlacedScore(
        placement=place(uas, analysis.sizes, curve.uas), uas_interval=None, sentences_interval=None
    )
    system = PlacedSystem(
        parts={PARTS[0]: placed, **dict.fromkeys(PARTS[1:])},
        treebanks=analysis.treebanks or (analysis.name,),
    )
    return replace(analysis, systems={**analysis.systems, name: system})


def differences(
    uas: Mapping[str, Floats],
    replicates: Mapping[str, Floats | None],
    treebanks: Mapping[str, tuple[str, ...]],
) -> list[Difference]:
    """Of every two systems that were scored on the same test sets."""
    return [
        Difference(
            first=first,
            second=second,
            parts={
                part: None
                if math.isnan(uas[first][n] - uas[second][n])
                else (
                    float(uas[first][n] - uas[second][n]),
                    _paired(replicates[first], replicates[second], n),
                )
                for n, part in enumerate(PARTS)
            },
        )
        for first, second in combinations(uas, 2)
        if treebanks[first] == treebanks[second]
    ]


def _paired(first: Floats | None, second: Floats | None, part: int) -> Interval | None:
    return None if first is None or second is None else interval(first[:, part] - second[:, part])
