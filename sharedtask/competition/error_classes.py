"""The error classes of a task: its own, from a file of its folder, or those for Universal Dependencies."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from evaluation.errors.classes import ErrorClasses
from evaluation.errors.parse import built_in_file, parse_classes
from sharedtask.competition.models import Task

DEFAULT = "universal"


def class_file(task: Task) -> str:
    """The classes as text, in the format of `evaluation.errors.parse`."""
    return task.error_classes or built_in_file(DEFAULT).decode()


def classes_of(task: Task) -> ErrorClasses:
    return parsed(class_file(task))


def fingerprint(task: Task) -> str:
    """Changes with the task's own classes; the database computes the same by MD5."""
    return hashlib.md5(task.error_classes.encode(), usedforsecurity=False).hexdigest()


@lru_cache(maxsize=16)
def parsed(text: str) -> ErrorClasses:
    return parse_classes(text.encode())
