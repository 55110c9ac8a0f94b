"""Analyses as bytes, and back: the stored form for servers that show them later."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..packing import pack, unpack
from .analysis import Analysis, ClassCurve, Difference, PartCurve, PlacedScore, PlacedSystem
from .intervals import Interval
from .placement import Placement

FORMAT = "learning curves 1"


def to_bytes(analyses: Sequence[Analysis]) -> bytes:
    return pack(FORMAT, {}, {"analyses": [json.dumps(asdict(analysis)) for analysis in analyses]})


def from_bytes(stored: bytes) -> list[Analysis]:
    """What `to_bytes` wrote; ValueError where it is anything else."""
    _, strings = unpack(FORMAT, stored)
    try:
        return [_analysis(json.loads(text)) for text in strings["analyses"]]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"damaged {FORMAT}: {error}") from error


def _analysis(values: Mapping[str, Any]) -> Analysis:
    read = {
        "sizes": tuple(values["sizes"]),
        "samples": None if values["samples"] is None else tuple(values["samples"]),
        "treebanks": tuple(values["treebanks"]),
        "notes": tuple(values["notes"]),
        "classes": {name: _class(curve) for name, curve in values["classes"].items()},
        "parts": {name: None if curve is None else _part(curve) for name, curve in values["parts"].items()},
        "systems": {name: _system(system) for name, system in values["systems"].items()},
        "differences": [_difference(difference) for difference in values["differences"]],
    }
    return Analysis(**{**values, **read})


def _class(values: Mapping[str, Any]) -> ClassCurve:
    return ClassCurve(**{**values, "interval": _interval(values["interval"])})


def _part(values: Mapping[str, Any]) -> PartCurve:
    return PartCurve(**{**values, "intervals": [_interval(ends) for ends in values["intervals"]]})


def _system(values: Mapping[str, Any]) -> PlacedSystem:
    parts = {name: None if score is None else _score(score) for name, score in values["parts"].items()}
    return PlacedSystem(parts=parts, treebanks=tuple(values["treebanks"]))


def _score(values: Mapping[str, Any]) -> PlacedScore:
    return PlacedScore(
        placement=Placement(**values["placement"]),
        uas_interval=_interval(values["uas_interval"]),
        sentences_interval=_interval(values["sentences_interval"]),
    )


def _difference(values: Mapping[str, Any]) -> Difference:
    parts = {
        name: None if value is None else (value[0], _interval(value[1]))
        for name, value in values["parts"].items()
    }
    return Difference(first=values["first"], second=values["second"], parts=parts)


def _interval(ends: Sequence[float] | None) -> Interval | None:
    return None if ends is None else (ends[0], ends[1])
