"""Analyses as one JSON document. UAS and COMPLEXITY are in percent; `null` is undefined."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from .analysis import Analysis, ClassCurve, Difference, PartCurve, PlacedScore, PlacedSystem
from .intervals import Interval
from .partition import PartScore, SeriesScore
from .placement import within


def build_document(
    analyses: Sequence[Analysis], average: Analysis | None, *, why_no_average: str = ""
) -> dict[str, Any]:
    """One analysis by itself; several by name, with their average or a note why there is none."""
    if len(analyses) == 1:
        return analysis_document(analyses[0])
    return {
        "treebanks": {analysis.name: analysis_document(analysis) for analysis in analyses},
        "average": None if average is None else analysis_document(average),
        **({} if average else {"notes": [why_no_average]}),
    }


def analysis_document(analysis: Analysis) -> dict[str, Any]:
    overall, simple, complex = (analysis.parts[part] for part in ("overall", "simple", "complex"))
    samples = {} if analysis.samples is None else {"samples": list(analysis.samples)}
    treebanks = {"treebanks": list(analysis.treebanks)} if analysis.treebanks else {}
    return {
        "by": analysis.by,
        **treebanks,
        "sizes": list(analysis.sizes),
        **samples,
        "classes": {name: _class(curve, bool(treebanks)) for name, curve in analysis.classes.items()},
        "simple": analysis.simple,
        "uas_simple": _uas(simple),
        "uas_complex": _uas(complex),
        "uas": _uas(overall),
        "normalised": None if math.isnan(analysis.normalised[0]) else list(analysis.normalised),
        "intervals": {part: _intervals(curve) for part, curve in analysis.parts.items()},
        "spread": {part: list(curve.spread) for part, curve in analysis.parts.items() if curve},
        "rho": analysis.rho,
        "marked": analysis.marked,
        "equivalents": {
            name: _equivalent(system, analysis.sizes, bool(treebanks))
            for name, system in analysis.systems.items()
        },
        "differences": [_difference(difference) for difference in analysis.differences],
        "notes": list(analysis.notes),
        "replicates": analysis.replicates,
        "seed": analysis.seed,
    }


def comparison_document(scores: Sequence[SeriesScore]) -> list[dict[str, Any]]:
    """Scores of several series under the partition of one of them."""
    return [
        {
            "series": score.series,
            "sentences": score.size,
            "test_sets": list(score.test_sets),
            **{part: _part_score(value) for part, value in score.parts.items()},
        }
        for score in scores
    ]


def _part_score(score: PartScore | None) -> dict[str, Any] | None:
    if score is None:
        return None
    return {
        "uas": score.uas,
        "interval": _interval(score.interval),
        "spread": score.spread,
        "difference": None
        if score.difference is None
        else {"uas": score.difference[0], "interval": _interval(score.difference[1])},
    }


def _class(curve: ClassCurve, is_average: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "words": curve.words,
        "uas": list(curve.uas),
        "normalised": None if curve.normalised is None else list(curve.normalised),
        "complexity": curve.complexity,
        "interval": _interval(curve.interval),
        "spread": list(curve.spread),
    }
    if is_average:
        document |= {"treebanks": curve.treebanks, "simple_in": curve.simple_in}
    return document


def _uas(curve: PartCurve | None) -> list[float] | None:
    return None if curve is None else list(curve.uas)


def _intervals(curve: PartCurve | None) -> list[list[float] | None] | None:
    return None if curve is None else [_interval(interval) for interval in curve.intervals]


def _interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)


def _equivalent(system: PlacedSystem, sizes: Sequence[int], is_average: bool) -> dict[str, Any]:
    document: dict[str, Any] = {part: _score(score, sizes) for part, score in system.parts.items()}
    if is_average:
        document["treebanks"] = list(system.treebanks)
    return document


def _score(score: PlacedScore | None, sizes: Sequence[int]) -> Mapping[str, Any]:
    if score is None:
        return {"uas": None, "sentences": None}
    return {
        "uas": score.placement.uas,
        "sentences": score.placement.bounded(sizes),
        "monotone": score.placement.is_monotone,
        "uas_interval": _interval(score.uas_interval),
        "sentences_interval": None
        if score.sentences_interval is None
        else [within(end, sizes) for end in score.sentences_interval],
    }


def _difference(difference: Difference) -> dict[str, Any]:
    parts = {
        part: None if value is None else {"uas": value[0], "interval": _interval(value[1])}
        for part, value in difference.parts.items()
    }
    return {"first": difference.first, "second": difference.second, **parts}
