"""Average the analyses of several test sets.

A class is averaged over the test sets in which it has at least thirty words, the curve of all words over all
of them; COMPLEXITY is the integral of the averages. Scores over simple and complex classes follow the
partition of each test set. A system is averaged over the test sets that have its output, and is placed on the
average curve of the same test sets.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from .analyse import AnalysedSet, describe_falls
from .analysis import (
    LEAST_WORDS,
    Analysis,
    ClassCurve,
    Difference,
    PlacedSystem,
    differences,
    part_curves,
    place_parts,
    place_score,
)
from .counts import Floats
from .figures import complexity, spread_of_average
from .folders import BadSeries
from .intervals import interval
from .measures import PARTS

AVERAGE = "average"


class NoAverage(BadSeries):
    """Every test set has its curves, but these cannot be averaged."""


def average(sets: Sequence[AnalysedSet], *, scores: Mapping[str, float] | None = None) -> Analysis:
    """The average over test sets of different names with the same sizes; raises BadSeries otherwise."""
    _check(sets)
    first = sets[0].analysis
    has_replicates = all(test_set.replicates is not None for test_set in sets)
    curves = _curves(sets)
    drawn_curves = _curves(sets, drawn=True) if has_replicates else None
    placed, score_differences = _systems(sets)
    for name, uas in (scores or {}).items():
        drawn = None if drawn_curves is None else drawn_curves[:, 0]
        placed[name] = PlacedSystem(
            parts=place_score(uas, first.sizes, curves[0], drawn), treebanks=_names(sets)
        )
    classes = _class_curves(sets, has_replicates)
    return Analysis(
        name=AVERAGE,
        by=first.by,
        sizes=first.sizes,
        samples=None,
        normalised=_mean_of_defined(np.stack([s.measures.whole for s in sets])).tolist(),
        classes=classes,
        parts=part_curves(curves, drawn_curves, _spread_of_parts(sets)),
        systems=placed,
        differences=score_differences,
        treebanks=_names(sets),
        notes=tuple(_describe(sets, curves, classes, placed)),
        replicates=first.replicates if has_replicates else 0,
        seed=first.seed,
    )


def _check(sets: Sequence[AnalysedSet]) -> None:
    names = _names(sets)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BadSeries(f"two folders are called {', '.join(twice)}; an average needs different names")
    first = sets[0].analysis
    for other in sets[1:]:
        if other.analysis.sizes != first.sizes:
            raise NoAverage(
                "an average needs the same sizes in all test sets, but "
                f"{first.name} has {_listed(first.sizes)} and {other.analysis.name} has "
                f"{_listed(other.analysis.sizes)}"
            )


def _class_curves(sets: Sequence[AnalysedSet], has_replicates: bool) -> dict[str, ClassCurve]:
    sizes = sets[0].analysis.sizes
    whole = _mean_of_defined(np.stack([s.measures.whole for s in sets]))
    drawn_whole = (
        _mean_of_defined(np.stack([s.replicates.whole for s in sets if s.replicates]))
        if has_replicates
        else None
    )
    names = sorted({name for test_set in sets for name in test_set.analysis.classes})
    # Bins have an order, which every test set keeps.
    order = {name: n for test_set in sets for n, name in enumerate(test_set.analysis.classes)}
    if sets[0].analysis.by in ("length", "depth"):
        names.sort(key=order.__getitem__)
    curves = {}
    for name in names:
        members = [s for s in sets if _words(s, name) >= LEAST_WORDS]
        if members:
            curves[name] = _class_curve(name, members, sizes, whole, drawn_whole)
    return curves


def _class_curve(
    name: str, members: Sequence[AnalysedSet], sizes: Sequence[int], whole: Floats, drawn_whole: Floats | None
) -> ClassCurve:
    columns = [s.counts.classes.names.index(name) for s in members]
    uas = np.mean([s.measures.class_uas[:, n] for s, n in zip(members, columns, strict=True)], axis=0)
    normalised = _mean_of_defined(
        np.stack([s.measures.class_normalised[:, n] for s, n in zip(members, columns, strict=True)])
    )
    area = float(complexity(sizes, whole, normalised[:, None])[0])
    is_defined = not math.isnan(area)
    drawn = None
    if is_defined and drawn_whole is not None:
        drawn_normalised = _mean_of_defined(
            np.stack(
                [
                    s.replicates.class_normalised[:, :, n]
                    for s, n in zip(members, columns, strict=True)
                    if s.replicates
                ]
            )
        )
        drawn = complexity(sizes, drawn_whole, drawn_normalised[:, :, None])[:, 0]
    return ClassCurve(
        words=sum(_words(s, name) for s in members),
        uas=uas.tolist(),
        normalised=normalised.tolist() if is_defined else None,
        complexity=area if is_defined else None,
        interval=interval(drawn),
        spread=_spread([s.analysis.classes[name].spread for s in members]),
        treebanks=len(members),
        simple_in=sum(s.analysis.classes[name].is_simple for s in members),
    )


def _spread_of_parts(sets: Sequence[AnalysedSet]) -> dict[str, list[float | None]]:
    """Over the test sets that have words of the part, as the averages are."""
    of_parts = {part: [s.analysis.parts[part] for s in sets] for part in PARTS}
    return {part: _spread([curve.spread for curve in curves if curve]) for part, curves in of_parts.items()}


def _spread(of_sets: Sequence[Sequence[float | None]]) -> list[float | None]:
    """By size."""
    return [spread_of_average(of_size) for of_size in zip(*of_sets, strict=True)]


def _systems(sets: Sequence[AnalysedSet]) -> tuple[dict[str, PlacedSystem], list[Difference]]:
    names = sorted({name for test_set in sets for name in test_set.counts.systems})
    scores, drawn, placed = {}, {}, {}
    treebanks: dict[str, tuple[str, ...]] = {}
    for name in names:
        members = [s for s in sets if name in s.counts.systems]
        treebanks[name] = _names(members)
        has_replicates = all(s.replicates is not None for s in members)
        scores[name] = _mean_of_defined(np.stack([s.measures.system_uas[_index(s, name)] for s in members]))
        drawn[name] = (
            _mean_of_defined(
                np.stack([s.replicates.system_uas[:, _index(s, name)] for s in members if s.replicates])
            )
            if has_replicates
            else None
        )
        placed[name] = PlacedSystem(
            parts=place_parts(
                scores[name],
                sets[0].analysis.sizes,
                _curves(members),
                uas_replicates=drawn[name],
                curve_replicates=_curves(members, drawn=True) if has_replicates else None,
            ),
            treebanks=treebanks[name],
        )
    return placed, differences(scores, drawn, treebanks)


def _curves(sets: Sequence[AnalysedSet], *, drawn: bool = False) -> Floats:
    """[parts, sizes], or replicates of it."""
    arrays = [s.replicates if drawn else s.measures for s in sets]
    return _mean_of_defined(np.stack([array.curves for array in arrays if array is not None]))


def _mean_of_defined(values: Floats) -> Floats:
    """The mean over the first axis without NaN; NaN where nothing is defined."""
    is_defined = ~np.isnan(values)
    number = is_defined.sum(axis=0)
    means = np.full(values.shape[1:], np.nan)
    np.divide(np.where(is_defined, values, 0).sum(axis=0), number, out=means, where=number > 0)
    return means


def _describe(
    sets: Sequence[AnalysedSet],
    curves: Floats,
    classes: Mapping[str, ClassCurve],
    placed: Mapping[str, PlacedSystem],
) -> list[str]:
    notes = [note for test_set in sets for note in _describe_fewer_samples(test_set.analysis)]
    notes += describe_falls(sets[0].analysis.sizes, curves[0].tolist())
    undefined = [
        f"{name} in {s.analysis.name}"
        for name in classes
        for s in sets
        if _words(s, name) >= LEAST_WORDS and s.analysis.classes[name].complexity is None
    ]
    if undefined:
        notes.append(f"Left out of the average, because its COMPLEXITY is undefined: {', '.join(undefined)}.")
    rare = sorted({name for s in sets for name in s.analysis.classes} - set(classes))
    if rare:
        notes.append(f"No test set has {LEAST_WORDS} words of {', '.join(rare)}: not averaged.")
    notes += [
        f"{name} has outputs for {', '.join(system.treebanks)} only: "
        "it is placed on the average curve of these test sets."
        for name, system in placed.items()
        if len(system.treebanks) < len(sets)
    ]
    return notes


def _describe_fewer_samples(analysis: Analysis) -> list[str]:
    samples = analysis.samples or ()
    return [
        f"At {size} sentences {analysis.name} has {number} sample{'' if number == 1 else 's'}, "
        f"elsewhere up to {max(samples)}."
        for size, number in zip(analysis.sizes, samples, strict=True)
        if number < max(samples)
    ]


def _words(test_set: AnalysedSet, name: str) -> int:
    curve = test_set.analysis.classes.get(name)
    return curve.words if curve else 0


def _index(test_set: AnalysedSet, system: str) -> int:
    return list(test_set.counts.systems).index(system)


def _names(sets: Sequence[AnalysedSet]) -> tuple[str, ...]:
    return tuple(test_set.analysis.name for test_set in sets)


def _listed(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes))
