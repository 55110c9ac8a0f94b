"""task.yaml as text becomes values, each with the line it stands on.

In: the bytes of task.yaml. Out: an `Entry` for the task, with entries inside for lists; every problem is
noted and reading goes on, so that one look tells all. Scalars are read by what the field wants and not by
what YAML takes them for: the language tag `no` is Norwegian and not false.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import yaml

from sharedtask.folders.compose import Expense, TooMuch, compose
from sharedtask.folders.fields import TASK, Field
from sharedtask.folders.problems import TASK_FILE, Problem

MOST_PROBLEMS = 100
LONGEST_NAME = 80
LONGEST_MESSAGE = 300
CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@dataclass(kw_only=True)
class Entry:
    """The fields of one mapping. `entry["code"]` is a value, `entry.problem("code", …)` a problem with it."""

    path: str
    line: int
    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def told(self, name: str) -> bool:
        """Whether the field stands in the file; otherwise its value is the default."""
        return name in self.lines

    def problem(self, name: str, message: str) -> Problem:
        """At the line of the field, or of the entry where the field is absent."""
        where = f"{self.path}.{name}" if self.path else name
        return Problem(file=TASK_FILE, line=self.lines.get(name, self.line), field=where, message=message)

    def attributes(self, fields: Sequence[Field]) -> dict[str, Any]:
        """Values by the names that the model gives them."""
        return {field.target: self.values[field.name] for field in fields if field.target}


def parse(content: bytes) -> tuple[Entry | None, list[Problem]]:
    """The entry is None where the file is no mapping at all; values that are no good have their defaults."""
    try:
        node = compose(content)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        return None, [whole_file(f"no YAML: {error.problem}", line)]
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return None, [whole_file(f"cannot be read: {error}")]
    if not isinstance(node, yaml.MappingNode):
        return None, [whole_file("expected fields, as in `title: …`", 1)]
    parser = Parser()
    try:
        return parser.mapping(node, TASK, ""), parser.problems
    except (TooMuch, TooManyProblems) as error:
        return None, [*parser.problems, whole_file(str(error))]


def whole_file(message: str, line: int | None = None) -> Problem:
    """A problem with the file as such. The library quotes names, however long they are."""
    return Problem(file=TASK_FILE, line=line, field="", message=message[:LONGEST_MESSAGE])


class TooManyProblems(Exception):
    """More than anybody would read, and each of them takes memory."""


class NotThis(Exception):
    """The value is no good; the message says what was expected."""


class Parser:
    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.expense = Expense()

    def mapping(self, node: yaml.MappingNode, fields: Sequence[Field], path: str) -> Entry:
        entry = Entry(path=path, line=node.start_mark.line + 1)
        # An entry has all fields, with their defaults where they are not told.
        self.expense.spend(values=len(fields))
        known = {field.name: field for field in fields}
        for key, value in node.value:
            name, line = name_of_field(key), key.start_mark.line + 1
            self.expense.spend(text=name)
            if name not in known:
                self.add(entry, name, line, f"there is no such field{meant(name, known)}")
            elif name in entry.lines:
                self.add(entry, name, line, f"told twice, first in line {entry.lines[name]}")
            else:
                entry.lines[name] = line
                self.value(entry, known[name], value)
        for one in fields:
            if one.required and one.name not in entry.lines:
                self.report(entry.problem(one.name, "this field has to be there"))
            entry.values.setdefault(one.name, one.default)
        return entry

    def value(self, entry: Entry, field: Field, node: yaml.Node) -> None:
        if is_null(node):
            if field.required:
                self.report(entry.problem(field.name, "this field has to have a value"))
            return
        if field.kind == "entries":
            self.entries(entry, field, node)
            return
        self.expense.spend(text=node.value if isinstance(node, yaml.ScalarNode) else "")
        try:
            entry.values[field.name] = self.names(node) if field.kind == "names" else scalar(field, node)
        except NotThis as expected:
            found = node.value if isinstance(node, yaml.ScalarNode) else kind_of(node)
            self.report(entry.problem(field.name, f"found {str(found)[:80]!r}, expected {expected}"))

    def entries(self, entry: Entry, field: Field, node: yaml.Node) -> None:
        where = f"{entry.path}.{field.name}" if entry.path else field.name
        if not isinstance(node, yaml.SequenceNode):
            self.report(entry.problem(field.name, "expected a list of entries"))
            return
        read = []
        for number, child in enumerate(node.value, start=1):
            self.expense.spend()
            if isinstance(child, yaml.MappingNode):
                read.append(self.mapping(child, field.entries, f"{where}[{number}]"))
            else:
                line = child.start_mark.line + 1
                self.add(entry, f"{field.name}[{number}]", line, "expected an entry with fields")
        entry.values[field.name] = read

    def names(self, node: yaml.Node) -> list[str]:
        if not isinstance(node, yaml.SequenceNode):
            raise NotThis("a list of names")
        read = []
        for child in node.value:
            if not isinstance(child, yaml.ScalarNode):
                raise NotThis("a list of names")
            read.append(str(child.value))
            self.expense.spend(text=read[-1])
        if len(set(read)) != len(read):
            raise NotThis("each name once")
        return read

    def add(self, entry: Entry, name: str, line: int, message: str) -> None:
        where = f"{entry.path}.{name}" if entry.path else name
        self.report(Problem(file=TASK_FILE, line=line, field=where, message=message))

    def report(self, problem: Problem) -> None:
        if len(self.problems) >= MOST_PROBLEMS:
            raise TooManyProblems("and more: please fix these first")
        self.problems.append(problem)


def name_of_field(key: yaml.Node) -> str:
    """As far as it is worth repeating; no field is as long as that, nor is a list one."""
    return key.value[:LONGEST_NAME] if isinstance(key, yaml.ScalarNode) else kind_of(key)


def meant(name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else f"; known are {', '.join(known)}"


def kind_of(node: yaml.Node) -> str:
    return "a list" if isinstance(node, yaml.SequenceNode) else "fields"


def is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def scalar(field: Field, node: yaml.Node) -> Any:
    if not isinstance(node, yaml.ScalarNode):
        raise NotThis("a single value")
    value = str(node.value)
    if field.kind == "number":
        return number(value, field.least)
    if field.kind == "flag":
        if value.lower() not in FLAGS:
            raise NotThis("true or false")
        return FLAGS[value.lower()]
    if field.kind == "moment":
        return moment(value)
    if field.kind == "choice" and value not in field.choices:
        raise NotThis("one of " + ", ".join(field.choices))
    if "\0" in value:
        raise NotThis("text without NUL characters")
    if field.kind == "code" and not CODE.fullmatch(value):
        raise NotThis("letters a-z, digits, - and _")
    if field.kind != "text" and ("\n" in value or (field.required and not value.strip())):
        raise NotThis("one line of text")
    if field.longest is not None and len(value) > field.longest:
        raise NotThis(f"at most {field.longest} characters")
    return value


def number(value: str, least: int) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", value) or int(value) < least:
        raise NotThis(f"a whole number from {least} on")
    return int(value)


def moment(value: str) -> datetime:
    try:
        read = datetime.fromisoformat(value)
    except ValueError:
        raise NotThis("a time such as 2026-05-31T12:00:00Z") from None
    if read.tzinfo is None:
        raise NotThis("a time with its zone, such as 2026-05-31T12:00:00Z")
    return read.astimezone(UTC)
