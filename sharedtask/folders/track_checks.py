"""Check the tracks of a task folder, and that none gives what another one hides.

In: a `TaskFolder`. Out: problems. What one track gives as input must not be the hidden gold of another one
that is still blind: the tracks have to open one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import evaluation
from evaluation.reading.hide_columns import ALWAYS_GIVEN
from sharedtask.competition.models import InputFile, Phase
from sharedtask.competition.tracks import Track, read_tracks
from sharedtask.folders import leaked_annotation
from sharedtask.folders.parse import YamlEntry
from sharedtask.folders.phase_checks import sets_of
from sharedtask.folders.problems import Problem
from sharedtask.folders.read import FolderTestSet, TaskFolder
from sharedtask.folders.values import track_values

GIVEN = (InputFile.RAW, InputFile.TOKENS)
"""The inputs that hide everything."""


def check_tracks(folder: TaskFolder) -> Iterator[Problem]:
    """What can be checked without the contents of files."""
    entries: Sequence[YamlEntry] = folder.task["tracks"]
    if not entries:
        return
    tracks = tracks_in(folder)
    yield from check_phases(folder, tracks)
    for entry, track in zip(entries, tracks, strict=True):
        yield from check_names(entry, track, folder)
        yield from check_input(entry, track, tracks)
        yield from check_secrecy(entry, track, tracks, folder)


def tracks_in(folder: TaskFolder) -> list[Track]:
    return read_tracks(track_values(entry, folder.task) for entry in folder.task["tracks"])


def check_phases(folder: TaskFolder, tracks: Sequence[Track]) -> Iterator[Problem]:
    for phase in folder.phases:
        if not any(track.is_in(phase["code"]) for track in tracks):
            yield phase.problem(
                "code", f"no track accepts runs in {phase['code']}: see `phases` of the tracks"
            )


def check_names(entry: YamlEntry, track: Track, folder: TaskFolder) -> Iterator[Problem]:
    profile = evaluation.PROFILES[folder.task["profile"]]
    known = {*profile.metrics, *folder.task["extra_metrics"]}
    for field in ("main_metrics", "other_metrics"):
        for metric in getattr(track, field):
            if metric not in known:
                message = f"{profile.name} has no {metric}; it has {', '.join(profile.metrics)}"
                yield entry.problem(field, message)
    for metric in track.other_metrics:
        if metric in track.main_metrics:
            yield entry.problem("other_metrics", f"{metric} is already a main metric of this track")
    columns = [name for name in profile.format.columns if name not in ALWAYS_GIVEN]
    for column in track.given_columns:
        if column not in columns:
            message = f"found {column!r}, expected columns of {', '.join(columns)}"
            yield entry.problem("given_columns", message)
    if track.given_columns and not profile.tokens_given:
        yield entry.problem("given_columns", f"{profile.name} gives participants raw text, without columns")
    codes = {phase["code"] for phase in folder.phases}
    for code in track.phases:
        if code not in codes:
            yield entry.problem("phases", f"there is no phase {code}")
    if track.reader and evaluation.FORMATS[track.reader].columns != profile.format.columns:
        message = f"found {track.reader}, expected a reader with the columns of {profile.format.name}"
        yield entry.problem("reader", message)


def check_input(entry: YamlEntry, track: Track, tracks: Sequence[Track]) -> Iterator[Problem]:
    if track.given_columns and track.input in GIVEN:
        message = f"give the input with these columns a name of its own: {track.input} has none of them"
        yield entry.problem("input", message)
    for other in tracks:
        if other.input == track.input and set(other.given_columns) != set(track.given_columns):
            message = f"the track {other.code} gives the input {track.input} with other columns"
            yield entry.problem("given_columns", message)
            return


def check_secrecy(
    entry: YamlEntry, track: Track, tracks: Sequence[Track], folder: TaskFolder
) -> Iterator[Problem]:
    """No phase of a track opens while a track from which it has to keep its input is blind."""
    public = {
        test_set.code
        for test_set in folder.test_sets
        if test_set.gold and all(version.public for version in test_set.gold)
    }
    for other in tracks:
        if not other.hides(track):
            continue
        for blind in folder.phases:
            if blind["feedback"] != Phase.Feedback.VALIDITY or not other.is_in(blind["code"]):
                continue
            for phase in folder.phases:
                if not track.is_in(phase["code"]) or not (
                    (sets_of(blind, folder) & sets_of(phase, folder)) - public
                ):
                    continue
                if blind["closes_at"] is None or phase["opens_at"] < blind["closes_at"]:
                    yield entry.problem(
                        "given_columns",
                        f"gives {', '.join(track.given_columns)} in {phase['code']}, which opens before "
                        f"{blind['code']} has closed; there they are the hidden gold of the track "
                        f"{other.code}. Open the tracks one after the other",
                    )


def check_annotation(folder: TaskFolder, test_set: FolderTestSet) -> Iterator[Problem]:
    """Inputs of the organisers' own with gold's tags have to be those of a track, which says when."""
    tracks = tracks_in(folder)
    inputs_of_tracks = {track.input for track in tracks if track.given_columns}
    if not tracks:
        return
    for file, columns in leaked_annotation.leaks(test_set, leaked_annotation.sealed_versions(test_set)):
        tags = [leaked_annotation.TAGS[column] for column in columns if column in leaked_annotation.TAGS]
        if tags and file.variant not in inputs_of_tracks:
            message = (
                f"{file.file} has the {leaked_annotation.join(tags)} of the gold of {test_set.code}, which "
                "is not public. In a task with tracks, name it as `input` of the track that gives them, with "
                "`given_columns`"
            )
            yield file.entry.problem("file", message)
