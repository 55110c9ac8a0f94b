"""Build a task folder for the data.

In: `Data`. Out: the files of a task folder: `task.yaml`, gold and raw texts. The data do not include the raw
texts of 2017, so they are made from gold, which has been public since then.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

import evaluation
from sharedtask.content.conll17.data import Data
from sharedtask.content.conll17.groups import IN_ORDER, SURPRISE
from sharedtask.content.conll17.languages import language_of
from sharedtask.content.conll17.test_set import TreebankData
from sharedtask.core.limits import reading_limits
from sharedtask.folders.files import FilesInMemory
from sharedtask.folders.problems import TASK_FILE
from sharedtask.folders.write_yaml import write_yaml

TEMPLATE = Path(__file__).with_name("task.yaml")
ANNOUNCED = datetime(2017, 3, 1, tzinfo=UTC)
PUBLISHED = datetime(2017, 7, 1, tzinfo=UTC)
"""The date of the files in the published data."""
SLUG = "conll17"
SURPRISE_BEFORE = timedelta(days=7)


def task_folder(data: Data, slug: str) -> FilesInMemory:
    values: dict[str, Any] = {"slug": slug} | yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))
    phases = values.pop("phases")
    opens_at = phases[0]["opens_at"]
    values["groups"] = in_order(
        {data.groups[treebank.code] for treebank in data.treebanks if treebank.code in data.groups}
    )
    codes = {treebank.code for treebank in data.treebanks}
    if codes <= data.groups.keys():
        values["test_sets_total"] = len(data.groups)
    values["test_sets"] = [
        {
            "code": treebank.code,
            "language": language_of(treebank.code).name,
            "tag": language_of(treebank.code).tag,
            "groups": groups_of(treebank, data),
            "inputs_released_at": opens_at,
        }
        | ({"revealed_at": opens_at - SURPRISE_BEFORE} if SURPRISE in groups_of(treebank, data) else {})
        for treebank in data.treebanks
    ]
    values["phases"] = phases
    files = {TASK_FILE: write_yaml(values)}
    for treebank in data.treebanks:
        gold = treebank.gold.read_bytes()
        files |= {f"gold/{treebank.code}.conllu": gold, f"raw/{treebank.code}.txt": text_of(gold)}
    return FilesInMemory(files)


def text_of(gold: bytes) -> bytes:
    """Empty if gold is invalid: the import then refuses it with the reason."""
    try:
        return evaluation.raw_text(evaluation.read(gold, limits=reading_limits())).encode()
    except evaluation.InvalidFile:
        return b""


def groups_of(treebank: TreebankData, data: Data) -> list[str]:
    return [data.groups[treebank.code]] if treebank.code in data.groups else []


def in_order(groups: Iterable[str]) -> list[str]:
    """The groups of 2017 in the order of its tables, then any others by name."""
    return sorted(groups, key=lambda group: (IN_ORDER.index(group) if group in IN_ORDER else 9, group))
