"""The rules that a verdict depends on, as the site publishes them for a task.

In: the connection, a task, and maybe a phase and a track. Out: `Rules`, with the inputs that outputs are
checked against; they are downloaded once and kept in the cache of this machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import platformdirs

from ..archives.limits import ArchiveLimits
from . import inputs
from .connection import API, Connection
from .errors import BadRequest, Refused
from .verdict import Rules

PhaseRules = Mapping[str, Any]


def fetch_rules(connection: Connection, task: str, *, phase: str, track: str) -> Rules:
    document = connection.get(f"/tasks/{quote(task)}/check-rules")
    phases = chosen_phases(document["phases"], phase)
    reader = chosen_reader(document, phases, track)
    files = expected_files([item for item in phases if not track or track in track_codes(item)])
    raw_texts: dict[str, Path] = {}
    tokens: dict[str, Path] = {}
    for file in files:
        name = str(file["raw_text"])
        url = f"{API}/tasks/{quote(task)}/inputs/{quote(file['test_set'])}/{quote(name)}"
        item = {"name": name, "sha256": file["raw_text_sha256"], "url": url}
        paths = raw_texts if file.get("is_raw_text", True) else tokens
        paths[str(file["test_set"])] = inputs.download(connection, item, cache_folder(connection, task))
    return Rules(
        profile=document["profile"],
        reader=reader,
        limits=limits_of(document),
        codes=[str(file["test_set"]) for file in files],
        raw_texts=raw_texts,
        tokens=tokens,
    )


def chosen_phases(phases: Sequence[PhaseRules], phase: str) -> list[PhaseRules]:
    """The one that is named, or all that are open for you."""
    if not phases:
        raise Refused(
            "phase-closed",
            "No phase of this task is open for you now, so there are no rules to check against.",
        )
    chosen = [item for item in phases if not phase or item["phase"] == phase]
    if not chosen:
        known = ", ".join(str(item["phase"]) for item in phases)
        raise BadRequest("phase-unknown", f"No phase {phase!r} is open for you now, only {known}.")
    return chosen


def chosen_reader(document: Mapping[str, Any], phases: Sequence[PhaseRules], track: str) -> str:
    """The format of the files. A track need not be named while it makes no difference."""
    tracks = {str(item["code"]): item for phase in phases for item in phase.get("tracks", ())}
    known = ", ".join(tracks)
    if track and track not in tracks:
        message = f"No track {track!r} is open for you now, only {known}."
        raise BadRequest("track-unknown", message if tracks else "This task has no tracks.")
    readers = {str(item["reader"]) for code, item in tracks.items() if track in ("", code)}
    if len(readers) > 1:
        raise BadRequest(
            "upload-without-track",
            f"Files of different tracks have different formats. Name the track: {known}.",
        )
    return readers.pop() if readers else str(document.get("reader", ""))


def track_codes(phase: PhaseRules) -> list[str]:
    return [str(item["code"]) for item in phase.get("tracks", ())]


def expected_files(phases: Sequence[PhaseRules]) -> list[Mapping[str, Any]]:
    files = {file["test_set"]: file for item in phases for file in item["files"]}
    if not files:
        raise Refused("nothing-released", "No input of this task has been released yet.")
    return list(files.values())


def limits_of(document: Mapping[str, Any]) -> ArchiveLimits:
    names = {field.name for field in fields(ArchiveLimits)}
    return ArchiveLimits(**{name: value for name, value in document["limits"].items() if name in names})


def cache_folder(connection: Connection, task: str) -> Path:
    site = urlsplit(connection.site.url).netloc.replace(":", "-")
    return platformdirs.user_cache_path("arboretum", appauthor=False) / site / inputs.safe_name(task)
