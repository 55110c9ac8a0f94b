"""Images of scorers that only a scripted engine runs, and the reports that it writes for them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.airlock.images import build
from tests.sharedtask.support.scripted_engine import Script

Report = dict[str, Any]
DECLARATION: dict[str, Any] = {
    "title": "Roots",
    "version": "1.0",
    "metrics": {"Roots": {"explanation": "roots that are the correct word"}},
    "main": ["Roots"],
}


def half(inputs: Mapping[str, bytes]) -> Report:
    """Every other unit is correct."""
    sizes = json.loads(inputs["metadata.json"])["sentences"]
    units = [[1, 1, (number + 1) % 2] for number in range(len(sizes))]
    return {"metrics": {"Roots": {"units": units, "total": [len(units), len(units), len(units) // 2]}}}


def writes(report: Callable[[Mapping[str, bytes]], Report]) -> Script:
    return Script(write=lambda inputs: {"scores.json": json.dumps(report(inputs)).encode()})


def labelled(labels: dict[str, str]) -> bytes:
    configuration = build.configuration()
    configuration["config"] |= {"Labels": labels}
    return build.docker_archive(config=configuration)


def tiny_image(**changes: Any) -> bytes:
    """Its declaration has these changes."""
    return labelled({"arboretum.scorer": json.dumps(DECLARATION | changes)})
