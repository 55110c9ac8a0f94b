"""Export a task as a folder with every version of every file. This needs the private key.

In: a task. Out: the files by name. The same task gives the same bytes on every site; a test exports, imports
and exports again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from sharedtask.competition.models import GoldVersion, InputFile, Phase, Task, TestSet
from sharedtask.core import sealing, storage
from sharedtask.folders.fields import GOLD, INPUT, PHASE, TASK, TEST_SET, FieldSpec
from sharedtask.folders.problems import TASK_FILE
from sharedtask.folders.write_yaml import write_yaml


class Contents(Mapping[str, bytes]):
    """The files of a folder. Each is read from storage on access, so that only one is in memory at a time."""

    def __init__(self) -> None:
        self.readers: dict[str, Callable[[], bytes]] = {}

    def __getitem__(self, name: str) -> bytes:
        return self.readers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self.readers)

    def __len__(self) -> int:
        return len(self.readers)


def export(task: Task) -> Contents:
    files = Contents()
    values = task_file_values(task, files)
    files.readers[TASK_FILE] = partial(write_yaml, values)
    return files


def task_file_values(task: Task, files: Contents) -> dict[str, Any]:
    """The values of task.yaml; the files that they name are added to `files` and not read."""
    test_sets = list(
        task.test_sets.select_related("gold_in_force")
        .prefetch_related("gold_versions__references", "inputs")
        .order_by("position", "code")
    )
    values = field_values(task, TASK)
    values["test_sets"] = [test_set_values(test_set, files) for test_set in test_sets]
    phases = task.phases.prefetch_related("test_sets").order_by("opens_at", "code")
    values["phases"] = [phase_values(phase, len(test_sets)) for phase in phases]
    return values


def test_set_values(test_set: TestSet, files: Contents) -> dict[str, Any]:
    values = field_values(test_set, TEST_SET)
    values["gold"] = []
    for version in sorted(test_set.gold_versions.all(), key=lambda version: version.number):
        name = f"gold/{test_set.code}.{version.number}.conllu"
        files.readers[name] = partial(read_sealed, version.sealed)
        entry = {
            "version": version.number,
            "file": name,
            "references": reference_values(test_set, version, files),
            "note": version.note,
            "public": version.is_released,
        }
        values["gold"].append(without_defaults(entry, GOLD))
    if test_set.gold_in_force is not None:
        values["gold_in_force"] = test_set.gold_in_force.number
    values["inputs"] = []
    for file in sorted(test_set.inputs.all(), key=lambda file: (file.variant, file.version)):
        name = f"inputs/{test_set.code}.{file.variant}.{file.version}{suffix(file)}"
        files.readers[name] = partial(storage.read, file.stored)
        entry = {
            "variant": file.variant,
            "version": file.version,
            "file": name,
            "sample": file.is_sample,
        }
        values["inputs"].append(without_defaults(entry, INPUT))
    return values


def reference_values(test_set: TestSet, version: GoldVersion, files: Contents) -> list[dict[str, str]]:
    values = []
    for reference in version.references.all():
        name = f"gold/{test_set.code}.{version.number}.{reference.name}.conllu"
        files.readers[name] = partial(read_sealed, reference.sealed)
        values.append({"name": reference.name, "file": name})
    return values


def read_sealed(name: str) -> bytes:
    return sealing.unseal(storage.read(name))


def phase_values(phase: Phase, test_set_count: int) -> dict[str, Any]:
    values = field_values(phase, PHASE)
    codes = [test_set.code for test_set in phase.test_sets.all()]
    if len(codes) != test_set_count:
        values["test_sets"] = codes
    return values


def field_values(row: Task | TestSet | Phase, fields: tuple[FieldSpec, ...]) -> dict[str, Any]:
    values = {field.name: getattr(row, field.target) for field in fields if field.target}
    return without_defaults(values, fields)


def without_defaults(values: Mapping[str, Any], fields: tuple[FieldSpec, ...]) -> dict[str, Any]:
    """Leave out optional fields that are empty; the switches and numbers of the task are always written."""
    written = {}
    for field in fields:
        value = values.get(field.name)
        empty = value is None or value in ("", []) or (fields is not TASK and value is False)
        if field.name in values and (field.required or not empty):
            written[field.name] = value
    return written


def suffix(file: InputFile) -> str:
    return ".conllu" if file.filename.endswith(".conllu") else ".txt"


def write_to(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write into a folder; only the owner can read gold. Other files there are kept."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = 0o600 if name.startswith("gold/") else 0o644
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as stream:
            stream.write(content)
