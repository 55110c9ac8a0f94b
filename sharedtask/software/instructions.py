"""The contract: what the containers of an execution get, with the file names and keys of CoNLL 2017 and 2018.

In: a version and test sets. Out: instructions as JSON, which are stored with the execution, so that a worker
of the airlock needs no other table. Gold is not among them, and no key says where it is; except that the
inputs of an experiment are made from gold, which is why `public_gold.py` is asked before they are used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airlock.contract import CONSTRAINTS, METADATA, RAW, metadata_of
from sharedtask.competition.models import InputFile, TestSet
from sharedtask.competition.tracks import Track
from sharedtask.core.errors import Refusal
from sharedtask.software.limits import as_json, limits_of
from sharedtask.software.models import SystemVersion


def build_instructions(
    version: SystemVersion, test_sets: Sequence[TestSet], track: Track | None = None
) -> dict[str, Any]:
    """In a track, software gets what the track gives and nothing else: other variants may have its gold."""
    entries = [entry_of(test_set, track) for test_set in test_sets]
    refuse_ambiguous_names(entries)
    return instructions_with(version, entries)


@dataclass(frozen=True, kw_only=True)
class ExperimentInput:
    """What a container gets for one test set of an experiment."""

    test_set: TestSet
    files: Mapping[str, str]
    """Names in storage by the key in `metadata.json` without “file”: `psegmor`, `constraints`, `train`."""


def build_experiment_instructions(
    version: SystemVersion, inputs: Sequence[ExperimentInput]
) -> dict[str, Any]:
    """The files may have been made from gold, which the instructions say."""
    entries = [experiment_entry(each) for each in inputs]
    return instructions_with(version, entries) | {"from_gold": True}


def experiment_entry(given: ExperimentInput) -> dict[str, Any]:
    code = given.test_set.code
    names = {key: f"{code}.txt" if key == RAW else f"{code}.{key}.conllu" for key in given.files}
    return {
        "code": code,
        "files": {names[key]: stored for key, stored in given.files.items()},
        "metadata": metadata_of(code, names),
    }


def instructions_with(version: SystemVersion, entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    team = version.system.team
    return {
        "image": {
            "stored": version.image.stored,
            "image_id": version.image.image_id,
            "unpacked_bytes": version.image.unpacked_bytes,
        },
        "limits": as_json(limits_of(team)),
        "per_test_set": team.task.software_per_test_set,
        "test_sets": list(entries),
    }


def entry_of(test_set: TestSet, track: Track | None) -> dict[str, Any]:
    """The code, the files by their names in the input directory, and the entry in metadata.json.

    Never constraints, whatever an input of the organisers is called: its gold may be sealed.
    """
    files = [file for file in newest_inputs(test_set.inputs.all()) if file.variant != CONSTRAINTS]
    if track is not None:
        files = [file for file in files if file.variant == track.input]
    return {
        "code": test_set.code,
        "files": {file.filename: file.stored for file in files},
        "metadata": metadata_of(test_set.code, {file.variant: file.filename for file in files}),
    }


def newest_inputs(inputs: Iterable[InputFile]) -> list[InputFile]:
    """The newest version of each variant, without samples, which have another text."""
    newest: dict[str, InputFile] = {}
    for file in sorted(inputs, key=lambda file: file.version):
        if not file.is_sample:
            newest[file.variant] = file
    return list(newest.values())


def refuse_ambiguous_names(entries: Sequence[Mapping[str, Any]]) -> None:
    if not entries:
        raise Refusal("software-without-inputs", "This phase has no inputs that software could be run on.")
    names = [name for entry in entries for name in entry["files"]]
    if len(set(names)) != len(names) or METADATA in names:
        raise Refusal(
            "software-inputs-ambiguous",
            "Two inputs of this phase have the same file name; the organisers have to rename one of them.",
        )
