"""The error classes that task.yaml names: a built-in table, a file of the folder, or the classes themselves.

In: `error_classes` of task.yaml: one line is a name, several lines are the classes. Out: the entry with their
text, or a problem.
"""

from __future__ import annotations

from evaluation.cascades.constraints import refuse_repeated
from evaluation.errors.parse import BUILT_IN, built_in_file, parse_classes
from sharedtask.folders.files import Files
from sharedtask.folders.parse import YamlEntry
from sharedtask.folders.problems import Problem

FIELD, SUFFIX = "error_classes", ".classes"


def read_error_classes(files: Files, task: YamlEntry) -> Problem | None:
    value = task[FIELD].strip()
    if not value:
        return None
    name, content = FIELD, value.encode()
    if "\n" not in value:
        named = built_in_file(value) if value in BUILT_IN else read_own(files, value)
        if named is None:
            expected = f"a file of the folder whose name ends in {SUFFIX}, or one of {', '.join(BUILT_IN)}"
            return task.problem(FIELD, f"found {value[:80]!r}, expected {expected}")
        name, content = value, named
    try:
        # The classes of an experiment name files, so that two names may not differ by spaces or case alone.
        refuse_repeated(parse_classes(content, name))
    except ValueError as error:
        return task.problem(FIELD, str(error))
    if b"\0" in content:
        # PostgreSQL stores no such text.
        return task.problem(FIELD, f"{name} has a NUL byte")
    task.values[FIELD] = content.decode()
    return None


def read_own(files: Files, name: str) -> bytes | None:
    """No other file, because problems quote its lines: gold must not be among them."""
    return files.read(name) if name.endswith(SUFFIX) else None
