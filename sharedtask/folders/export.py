"""Write a task as a folder again, with every version of every file; only a process with the private key can.

In: a task. Out: the files by their names. The same task gives the same bytes, wherever it was imported:
export, import and export again is a test.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from sharedtask.competition.models import InputFile, Phase, Task, TestSet
from sharedtask.core import sealing, storage
from sharedtask.folders.fields import GOLD, INPUT, PHASE, TASK, TEST_SET, Field
from sharedtask.folders.problems import TASK_FILE
from sharedtask.folders.write_yaml import write_yaml


class Contents(Mapping[str, bytes]):
    """The files of a folder, each read from storage when it is asked for: only one is in memory at a time."""

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
    test_sets = list(task.test_sets.select_related("gold_in_force").order_by("position", "code"))
    told = fields_of(task, TASK)
    told["test_sets"] = [test_set_as_told(test_set, files) for test_set in test_sets]
    phases = task.phases.prefetch_related("test_sets").order_by("opens_at", "code")
    told["phases"] = [phase_as_told(phase, len(test_sets)) for phase in phases]
    files.readers[TASK_FILE] = partial(write_yaml, told)
    return files


def test_set_as_told(test_set: TestSet, files: Contents) -> dict[str, Any]:
    told = fields_of(test_set, TEST_SET)
    told["gold"] = []
    for version in test_set.gold_versions.order_by("number"):
        name = f"gold/{test_set.code}.{version.number}.conllu"
        files.readers[name] = partial(unsealed, version.sealed)
        entry = {"version": version.number, "file": name, "note": version.note, "public": version.is_released}
        told["gold"].append(without_defaults(entry, GOLD))
    if test_set.gold_in_force is not None:
        told["gold_in_force"] = test_set.gold_in_force.number
    told["inputs"] = []
    for given in test_set.inputs.order_by("variant", "version"):
        name = f"inputs/{test_set.code}.{given.variant}.{given.version}{suffix(given)}"
        files.readers[name] = partial(storage.read, given.stored)
        entry = {
            "variant": given.variant,
            "version": given.version,
            "file": name,
            "sample": given.is_sample,
        }
        told["inputs"].append(without_defaults(entry, INPUT))
    return told


def unsealed(name: str) -> bytes:
    return sealing.unseal(storage.read(name))


def phase_as_told(phase: Phase, test_sets: int) -> dict[str, Any]:
    told = fields_of(phase, PHASE)
    codes = [test_set.code for test_set in phase.test_sets.all()]
    if len(codes) != test_sets:
        told["test_sets"] = codes
    return told


def fields_of(row: Task | TestSet | Phase, fields: tuple[Field, ...]) -> dict[str, Any]:
    values = {field.name: getattr(row, field.target) for field in fields if field.target}
    return without_defaults(values, fields)


def without_defaults(values: Mapping[str, Any], fields: tuple[Field, ...]) -> dict[str, Any]:
    """Optional fields are written where they say something; switches and numbers of the task always are."""
    told = {}
    for field in fields:
        value = values.get(field.name)
        silent = value is None or value in ("", []) or (fields is not TASK and value is False)
        if field.name in values and (field.required or not silent):
            told[field.name] = value
    return told


def suffix(given: InputFile) -> str:
    return ".conllu" if given.filename.endswith(".conllu") else ".txt"


def write_to(folder: Path, files: Mapping[str, bytes]) -> None:
    """Into a folder, gold readable by its owner alone. What else lies there stays."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = 0o600 if name.startswith("gold/") else 0o644
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as stream:
            stream.write(content)
