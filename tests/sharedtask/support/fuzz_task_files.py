"""Corrupted task.yaml files: a part of `make fuzz` (`tests/fuzz.py`).

Each case corrupts the task.yaml of a complete task folder (`mutate_yaml.py`). The folder is accepted, with
values that can be stored, or refused with problems that name a file and, where there is one, a line.
"""

from __future__ import annotations

import json
import os
import random

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sharedtask.settings.test")
django.setup()

from sharedtask.folders.checks import read_folder  # noqa: E402
from sharedtask.folders.files import FilesInMemory  # noqa: E402
from sharedtask.folders.parse import YamlEntry  # noqa: E402
from sharedtask.folders.problems import TASK_FILE, BadTaskFolder, Problem  # noqa: E402
from sharedtask.folders.read import TaskFolder  # noqa: E402
from tests.machinery.fuzzing import MEBIBYTE, Part  # noqa: E402
from tests.sharedtask.support.folders import FILES  # noqa: E402
from tests.sharedtask.support.mutate_yaml import mutate  # noqa: E402


def check_case(number: int) -> str:
    content = mutate(FILES[TASK_FILE], random.Random(number))
    files = {name: text.encode() for name, text in FILES.items()} | {TASK_FILE: content}
    try:
        folder = read_folder(FilesInMemory(files))
    except BadTaskFolder as refusal:
        return check_problems(refusal.problems, files)
    check_values(folder)
    return "accepted"


def check_problems(problems: tuple[Problem, ...], files: dict[str, bytes]) -> str:
    assert problems
    for problem in problems:
        assert problem.message
        json.dumps(problem.as_dict()).encode()
        content = files[problem.file]
        # A line may be missing where the whole file is concerned, never where a field is.
        assert problem.line is not None or not problem.field
        assert problem.line is None or 1 <= problem.line <= len(content.splitlines()) + 1
    first = problems[0]
    if first.file != TASK_FILE:
        return "refused-file"
    return "refused-field" if first.field else "refused-yaml"


def check_values(folder: TaskFolder) -> None:
    for entry in (folder.task, *(test_set.entry for test_set in folder.test_sets), *folder.phases):
        check_entry(entry)


def check_entry(entry: YamlEntry) -> None:
    """PostgreSQL stores neither NUL nor lone surrogates."""
    for value in entry.values.values():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str):
                assert "\0" not in text
                text.encode()


PART = Part(name="task-files", check=check_case, memory_bytes=64 * MEBIBYTE)
