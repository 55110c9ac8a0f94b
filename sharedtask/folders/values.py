"""The values that an entry of task.yaml gives to the row it describes."""

from __future__ import annotations

from typing import Any

import evaluation
from sharedtask.folders.fields import PHASE, TASK, TEST_SET
from sharedtask.folders.parse import Entry
from sharedtask.folders.read import SetInFolder, TaskFolder


def task_values(folder: TaskFolder) -> dict[str, Any]:
    values = folder.task.attributes(TASK)
    values["main_metrics"] = values["main_metrics"] or list(evaluation.PROFILES[values["profile"]].main)
    return values


def set_values(told: SetInFolder, position: int) -> dict[str, Any]:
    return told.entry.attributes(TEST_SET) | {"position": position}


def phase_values(told: Entry) -> dict[str, Any]:
    return told.attributes(PHASE)
