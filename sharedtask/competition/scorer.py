"""The organisers' own scorer as a part of the profile: its metrics, and the version that scores name.

In: a profile, and the entry about a scorer that the task stores (`ScorerVersion` has all of them). Out: the
profile with its metrics. Its version says which image has made a score: `2.0+scorer-3-1a2b3c4d` is the third
one, with this hash, next to version 2.0 of the profile.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from evaluation import Profile
from evaluation.scoring.reported import Declaration, extend, read_declaration
from sharedtask.competition.models import Task

VERSION = re.compile(r"(?:(?P<profile>.*)\+)?scorer-(?P<number>\d+)-[0-9a-f]{8}")
MAX_VERSION_LENGTH = 40


def scorer_entry(*, number: int, sha256: str, declaration: Mapping[str, Any]) -> dict[str, Any]:
    """For `Task.scorer` and `Task.newest_scorer`."""
    return {"number": number, "sha256": sha256, "declaration": dict(declaration)}


def with_scorer(profile: Profile, entry: Mapping[str, Any]) -> Profile:
    version = f"scorer-{entry['number']}-{entry['sha256'][:8]}"
    return extend(
        profile,
        declaration_of(entry),
        version=f"{profile.version}+{version}" if profile.version else version,
    )


def declaration_of(entry: Mapping[str, Any]) -> Declaration:
    return _read(json.dumps(entry["declaration"]))


def scorer_metrics(task: Task) -> tuple[str, ...]:
    return tuple(task.scorer["declaration"]["metrics"]) if task.scorer else ()


def version_of_profile(version: str) -> str:
    """Without what it says about a scorer."""
    match = VERSION.fullmatch(version)
    return (match["profile"] or "") if match else version


def number_of_scorer(version: str) -> int | None:
    match = VERSION.fullmatch(version)
    return int(match["number"]) if match else None


_read = lru_cache(maxsize=64)(read_declaration)
