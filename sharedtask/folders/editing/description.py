"""A task as its folder describes it, without the contents of its files.

In: a task. Out: the values of its task.yaml, and a `TaskFolder` read from them by the reader of imports. Gold
is sealed and the web process cannot read it, so that files are known by name only; they stay as they are.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from sharedtask.competition.models import Task
from sharedtask.folders.export import Contents, task_file_values
from sharedtask.folders.problems import TASK_FILE
from sharedtask.folders.read import TaskFolder, read_parts
from sharedtask.folders.write_yaml import write_yaml

Values = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Description:
    values: Values
    """Of task.yaml."""
    names: frozenset[str]
    """Of the files next to it."""

    def copy(self) -> Description:
        return replace(self, values=deepcopy(self.values))

    def read(self) -> TaskFolder:
        """Raises `BadTaskFolder`, as for an uploaded folder with the same task.yaml."""
        folder = read_parts(NamesOnly(write_yaml(self.values), self.names))
        test_sets = tuple(replace(test_set, with_contents=False) for test_set in folder.test_sets)
        return replace(folder, test_sets=test_sets)


def describe(task: Task) -> Description:
    files = Contents()
    values = task_file_values(task, files)
    return Description(values=values, names=frozenset(files)).copy()


class NamesOnly:
    """The files of a folder of which only task.yaml has contents."""

    def __init__(self, task_file: bytes, names: frozenset[str]) -> None:
        self.task_file = task_file
        self.names = names

    def read(self, name: str) -> bytes | None:
        if name == TASK_FILE:
            return self.task_file
        return b"" if name in self.names else None
