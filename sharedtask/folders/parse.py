"""Parse the text of task.yaml into values with their line numbers.

In: the bytes of task.yaml. Out: a `YamlEntry` for the task, with nested entries for lists. Parsing continues
after a problem, so that all problems are reported at once. Scalars are interpreted by the kind of the field,
not by YAML's own rules: the language tag `no` is Norwegian, not false.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import yaml

from sharedtask.folders.compose import Allowance, TooLarge, compose
from sharedtask.folders.fields import TASK, FieldSpec
from sharedtask.folders.problems import TASK_FILE, Problem

MAX_PROBLEMS = 100
MAX_NAME_LENGTH = 80
MAX_MESSAGE_LENGTH = 300
CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@dataclass(kw_only=True)
class YamlEntry:
    """The fields of one mapping: `entry["code"]` is a value, `entry.problem("code", …)` a problem with it."""

    path: str
    line: int
    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def is_set(self, name: str) -> bool:
        """Whether the field is in the file; if not, it has its default value."""
        return name in self.lines

    def problem(self, name: str, message: str) -> Problem:
        """A problem at the line of the field or, if it is not in the file, of the entry."""
        where = f"{self.path}.{name}" if self.path else name
        return Problem(file=TASK_FILE, line=self.lines.get(name, self.line), field=where, message=message)

    def attributes(self, fields: Sequence[FieldSpec]) -> dict[str, Any]:
        """Values by the names of the model's attributes."""
        return {field.target: self.values[field.name] for field in fields if field.target}


def parse(content: bytes) -> tuple[YamlEntry | None, list[Problem]]:
    """The entry is None if the file cannot be parsed at all; invalid values are replaced by defaults."""
    try:
        node = compose(content)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        return None, [file_problem(f"invalid YAML: {error.problem}", line)]
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return None, [file_problem(f"cannot be read: {error}")]
    if not isinstance(node, yaml.MappingNode):
        return None, [file_problem("expected fields such as `title: …`", 1)]
    parser = Parser()
    try:
        return parser.mapping(node, TASK, ""), parser.problems
    except TooLarge as error:
        return None, [*parser.problems, file_problem(f"cannot be read: {error}")]
    except TooManyProblems:
        return None, [*parser.problems, file_problem("more problems follow; please fix these first")]


def file_problem(message: str, line: int | None = None) -> Problem:
    """A problem with the file as a whole. The message is cut because PyYAML quotes names in full."""
    return Problem(file=TASK_FILE, line=line, field="", message=message[:MAX_MESSAGE_LENGTH])


class TooManyProblems(Exception):
    """More than anybody would read; each takes memory."""


class WrongValue(Exception):
    """The value is invalid; the message says what was expected."""


class Parser:
    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.allowance = Allowance()

    def mapping(self, node: yaml.MappingNode, fields: Sequence[FieldSpec], path: str) -> YamlEntry:
        entry = YamlEntry(path=path, line=node.start_mark.line + 1)
        # An entry has a value for every field, given or default.
        self.allowance.spend(values=len(fields))
        known = {field.name: field for field in fields}
        for key, value in node.value:
            name, line = field_name(key), key.start_mark.line + 1
            self.allowance.spend(text=name)
            if name not in known:
                self.add(entry, name, line, f"unknown field{suggestion(name, known)}")
            elif name in entry.lines:
                self.add(entry, name, line, f"duplicate field, first used in line {entry.lines[name]}")
            else:
                entry.lines[name] = line
                self.value(entry, known[name], value)
        for spec in fields:
            if spec.required and spec.name not in entry.lines:
                self.report(entry.problem(spec.name, "this field is required"))
            entry.values.setdefault(spec.name, spec.default)
        return entry

    def value(self, entry: YamlEntry, field: FieldSpec, node: yaml.Node) -> None:
        if is_null(node):
            if field.required:
                self.report(entry.problem(field.name, "this field needs a value"))
            return
        if field.kind == "entries":
            self.entries(entry, field, node)
            return
        self.allowance.spend(text=node.value if isinstance(node, yaml.ScalarNode) else "")
        try:
            entry.values[field.name] = self.names(node) if field.kind == "names" else scalar(field, node)
        except WrongValue as expected:
            text = node.value if isinstance(node, yaml.ScalarNode) else node_kind(node)
            self.report(entry.problem(field.name, f"found {str(text)[:80]!r}, expected {expected}"))

    def entries(self, entry: YamlEntry, field: FieldSpec, node: yaml.Node) -> None:
        where = f"{entry.path}.{field.name}" if entry.path else field.name
        if not isinstance(node, yaml.SequenceNode):
            self.report(entry.problem(field.name, "expected a list of entries"))
            return
        entries = []
        for number, child in enumerate(node.value, start=1):
            self.allowance.spend()
            if isinstance(child, yaml.MappingNode):
                entries.append(self.mapping(child, field.entries, f"{where}[{number}]"))
            else:
                line = child.start_mark.line + 1
                self.add(entry, f"{field.name}[{number}]", line, "expected fields such as `code: …`")
        entry.values[field.name] = entries

    def names(self, node: yaml.Node) -> list[str]:
        if not isinstance(node, yaml.SequenceNode):
            raise WrongValue("a list of names")
        names = []
        for child in node.value:
            if not isinstance(child, yaml.ScalarNode):
                raise WrongValue("a list of names")
            names.append(str(child.value))
            self.allowance.spend(text=names[-1])
        if len(set(names)) != len(names):
            raise WrongValue("a list without duplicates")
        return names

    def add(self, entry: YamlEntry, name: str, line: int, message: str) -> None:
        where = f"{entry.path}.{name}" if entry.path else name
        self.report(Problem(file=TASK_FILE, line=line, field=where, message=message))

    def report(self, problem: Problem) -> None:
        if len(self.problems) >= MAX_PROBLEMS:
            raise TooManyProblems
        self.problems.append(problem)


def field_name(key: yaml.Node) -> str:
    """The name of the field, cut to what is worth quoting; a key may even be a list."""
    return key.value[:MAX_NAME_LENGTH] if isinstance(key, yaml.ScalarNode) else node_kind(key)


def suggestion(name: str, known: Collection[str]) -> str:
    similar = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {similar[0]}?" if similar else f"; known fields: {', '.join(known)}"


def node_kind(node: yaml.Node) -> str:
    return "a list" if isinstance(node, yaml.SequenceNode) else "fields"


def is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def scalar(field: FieldSpec, node: yaml.Node) -> Any:
    if not isinstance(node, yaml.ScalarNode):
        raise WrongValue("a single value")
    value = str(node.value)
    if field.kind == "number":
        return number(value, field.least)
    if field.kind == "flag":
        if value.lower() not in FLAGS:
            raise WrongValue("true or false")
        return FLAGS[value.lower()]
    if field.kind == "moment":
        return moment(value)
    if field.kind == "choice" and value not in field.choices:
        raise WrongValue("one of " + ", ".join(field.choices))
    if field.kind == "code" and not CODE.fullmatch(value):
        raise WrongValue("letters a-z, digits, - and _")
    if field.kind != "text" and ("\n" in value or (field.required and not value.strip())):
        raise WrongValue("one line of text")
    if field.longest is not None and len(value) > field.longest:
        raise WrongValue(f"at most {field.longest} characters")
    return value


def number(value: str, least: int) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", value) or int(value) < least:
        raise WrongValue(f"a whole number, at least {least}")
    return int(value)


def moment(value: str) -> datetime:
    try:
        time = datetime.fromisoformat(value)
        if time.tzinfo is None:
            raise WrongValue("a time with a time zone, such as 2026-05-31T12:00:00Z")
        return time.astimezone(UTC)
    except (ValueError, OverflowError):
        # In UTC, a time of the year 1 or 9999 may lie outside the range of dates.
        raise WrongValue("a time such as 2026-05-31T12:00:00Z") from None
