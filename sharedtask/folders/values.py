"""Model values of a task, test set or phase as described in task.yaml."""

from __future__ import annotations

from typing import Any

import evaluation
from sharedtask.competition.models import InputFile
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
    values["tracks"] = [track_values(entry, folder.task) for entry in values["tracks"]]
    return values


def track_values(entry: YamlEntry, task: YamlEntry) -> dict[str, Any]:
    """Without what is empty. The metrics are those of the profile's track of the same name, if not given."""
    profile = evaluation.PROFILES[task["profile"]]
    usual = profile.tracks.get(entry["code"]) or task["main_metrics"] or profile.main
    values = {"main_metrics": list(usual), "input": given_variant(profile)}
    return values | {name: value for name, value in entry.values.items() if value}


def given_variant(profile: evaluation.Profile) -> str:
    """The input that a track gives if it names none."""
    return InputFile.TOKENS if profile.tokens_given else InputFile.RAW


def set_values(test_set: FolderTestSet, position: int) -> dict[str, Any]:
    return test_set.entry.attributes(TEST_SET) | {"position": position}


def phase_values(phase: YamlEntry) -> dict[str, Any]:
    return phase.attributes(PHASE)
