"""Model values of a task, test set or phase as described in task.yaml."""

from __future__ import annotations

from typing import Any

import evaluation
from sharedtask.folders.fields import PHASE, TASK, TEST_SET
from sharedtask.folders.parse import YamlEntry
from sharedtask.folders.read import FolderTestSet, TaskFolder


def task_values(folder: TaskFolder) -> dict[str, Any]:
    values = folder.task.attributes(TASK)
    values["main_metrics"] = values["main_metrics"] or list(evaluation.PROFILES[values["profile"]].main)
    values["reader"] = values["reader"] or ""
    values["downloads"] = [
        {name: value for name, value in entry.values.items() if value} for entry in values["downloads"]
    ]
    return values


def set_values(test_set: FolderTestSet, position: int) -> dict[str, Any]:
    return test_set.entry.attributes(TEST_SET) | {"position": position}


def phase_values(phase: YamlEntry) -> dict[str, Any]:
    return phase.attributes(PHASE)
