"""Analyse a series on one test set.

In: `Attachments`. Out: `AnalysedSet`: the `Analysis` and the arrays from which averages are computed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ..reading.fields import Mask
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
from .attachments import Attachments
from .classes import DEFAULT
from .counts import Counts, Floats, Totals, count
from .figures import complexity, spread_over_samples, uas_by_output
from .folders import BadSeries, describe_missing_samples
from .intervals import interval
from .measures import LEAST_SENTENCES, PARTS, Measures, find_simple, measure, resample, totals_of_parts

REPLICATES, SEED = 1000, 1
MAX_NAMED = 12


@dataclass(frozen=True, slots=True)
class AnalysedSet:
    """An analysis with its arrays. `replicates` is None where there are no intervals."""

    analysis: Analysis
    counts: Counts
    measures: Measures
    replicates: Measures | None


def analyse(
    attachments: Attachments,
    *,
    by: str = DEFAULT,
    scores: Mapping[str, float] | None = None,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> AnalysedSet:
    """All figures of one test set; `scores` are published ones to be placed on the curve."""
    counts = count(attachments, by)
    totals = counts.totals()
    simple = find_simple(counts, totals)
    measures = measure(counts, totals, simple)
    drawn = resample(counts, simple, replicates=replicates, seed=seed)
    classes = _class_curves(counts, totals, measures, drawn)
    analysis = Analysis(
        name=counts.name,
        by=by,
        sizes=counts.sizes,
        samples=tuple(map(len, counts.outputs_of_size)),
        normalised=measures.whole.tolist(),
        classes=classes,
        parts=part_curves(
            measures.curves, None if drawn is None else drawn.curves, spread_of_parts(counts, totals, simple)
        ),
        systems=_place_all(counts, measures, drawn, scores or {}),
        differences=_differences(counts, measures, drawn),
        treebanks=(),
        notes=(
            *describe_missing_samples(attachments.samples),
            *_describe(counts, measures, classes, drawn is None and replicates > 0),
        ),
        replicates=0 if drawn is None else replicates,
        seed=seed,
    )
    return AnalysedSet(analysis, counts, measures, drawn)


def _class_curves(
    counts: Counts, totals: Totals, measures: Measures, drawn: Measures | None
) -> dict[str, ClassCurve]:
    areas = complexity(counts.sizes, measures.whole, measures.class_normalised)
    drawn_areas = None if drawn is None else complexity(counts.sizes, drawn.whole, drawn.class_normalised)
    spread = spread_over_samples(uas_by_output(totals), counts.outputs_of_size)
    curves = {}
    for n, name in enumerate(counts.classes.names):
        is_defined = not math.isnan(areas[n])
        curves[name] = ClassCurve(
            words=int(totals.words[n]),
            uas=measures.class_uas[:, n].tolist(),
            normalised=measures.class_normalised[:, n].tolist() if is_defined else None,
            complexity=float(areas[n]) if is_defined else None,
            interval=interval(drawn_areas[:, n]) if is_defined and drawn_areas is not None else None,
            spread=_known(spread[:, n]),
            treebanks=1,
            simple_in=int(areas[n] < 0),
        )
    return curves


def spread_of_parts(counts: Counts, totals: Totals, simple: Mask) -> dict[str, list[float | None]]:
    by_output = uas_by_output(totals_of_parts(totals, simple))
    spread = spread_over_samples(by_output, counts.outputs_of_size)
    return {part: _known(spread[:, n]) for n, part in enumerate(PARTS)}


def _known(values: Floats) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]


def _place_all(
    counts: Counts, measures: Measures, drawn: Measures | None, scores: Mapping[str, float]
) -> dict[str, PlacedSystem]:
    placed = {
        name: PlacedSystem(
            parts=place_parts(
                measures.system_uas[n],
                counts.sizes,
                measures.curves,
                uas_replicates=None if drawn is None else drawn.system_uas[:, n],
                curve_replicates=None if drawn is None else drawn.curves,
            ),
            treebanks=(counts.name,),
        )
        for n, name in enumerate(counts.systems)
    }
    for name, uas in scores.items():
        if name in placed:
            raise BadSeries(f"{name} is a score to be placed and also a file of {counts.name}; rename one")
        curves = None if drawn is None else drawn.curves[:, 0]
        placed[name] = PlacedSystem(
            parts=place_score(uas, counts.sizes, measures.curves[0], curves), treebanks=(counts.name,)
        )
    return placed


def _differences(counts: Counts, measures: Measures, drawn: Measures | None) -> list[Difference]:
    return differences(
        {name: measures.system_uas[n] for n, name in enumerate(counts.systems)},
        {name: None if drawn is None else drawn.system_uas[:, n] for n, name in enumerate(counts.systems)},
        dict.fromkeys(counts.systems, (counts.name,)),
    )


def _describe(
    counts: Counts, measures: Measures, classes: Mapping[str, ClassCurve], is_small: bool
) -> list[str]:
    """What a reader has to know about these figures, in words."""
    notes = describe_falls(counts.sizes, measures.curves[0].tolist())
    if counts.classes.empty:
        notes.append(f"No word belongs to {_names(counts.classes.empty)}: there is no curve.")
    undefined = [name for name, curve in classes.items() if curve.complexity is None]
    if undefined:
        notes.append(
            f"No head of {_names(undefined)} is correct at {counts.sizes[-1]} sentences: "
            "COMPLEXITY is undefined, and the words count as complex."
        )
    falling = [name for name, curve in classes.items() if curve.falls and curve.words >= LEAST_WORDS]
    if falling:
        notes.append(f"With more training data the UAS of {_names(falling)} falls at some point.")
    if math.isnan(measures.curves[1, 0]):
        notes.append("No class is simple: there are no scores over simple classes.")
    if math.isnan(measures.curves[2, 0]):
        notes.append("No class is complex: there are no scores over complex classes.")
    if is_small:
        notes.append(f"There are no intervals: the test set has fewer than {LEAST_SENTENCES} sentences.")
    return notes


def describe_falls(sizes: tuple[int, ...], curve: list[float]) -> list[str]:
    return [
        f"The curve falls from {curve[n]:.2f} UAS at {sizes[n]} sentences "
        f"to {curve[n + 1]:.2f} at {sizes[n + 1]}."
        for n in range(len(curve) - 1)
        if curve[n + 1] < curve[n]
    ]


def _names(names: tuple[str, ...] | list[str]) -> str:
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return ", ".join(names[:MAX_NAMED]) + more
