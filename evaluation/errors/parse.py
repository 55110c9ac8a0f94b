"""Read a file of error classes. docs/metrics.md describes the format.

In: its bytes. Out: `ErrorClasses`, or InvalidClasses with the line of the first error.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from .classes import ANYTHING, Condition, ErrorClasses, Rule, covers

BUILT_IN = ("universal", "stanford")
"""The classes that need no file: for Universal Dependencies, and those of the paper."""

MAX_BYTES = 100_000
MAX_CLASSES = 50
MAX_NAME = 60
_HEADER = "classes"
_CONDITION = re.compile(r"(?<!\S)(if|unless)(?!\S)")
_SUBJECTS = ("child", "upos", "xpos")


class InvalidClasses(ValueError):
    """A file of error classes that cannot be used; the message has its name and the line."""


class _LineError(Exception):
    pass


def parse_classes(data: bytes, name: str = "classes") -> ErrorClasses:
    """Read the classes and rules of a file.

    >>> parse_classes(b"classes: Core, Rest\\nCore: nsubj obj\\nRest: *\\n").names
    ('Core', 'Rest')
    """
    number, reader = 1, _Reader()
    try:
        for number, line in enumerate(_lines(data), 1):
            if line and not line.startswith("#"):
                reader.read(number, line)
        return reader.finish()
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise InvalidClasses(f"{name}:{number}: the line is not UTF-8") from None
    except _LineError as error:
        raise InvalidClasses(f"{name}:{number}: {error}") from None


@cache
def built_in(name: str) -> ErrorClasses:
    """One of the `BUILT_IN` tables.

    >>> built_in("universal").names[:2]
    ('NP attachment', 'NP internal')
    """
    return parse_classes(built_in_file(name), f"{name}.classes")


def built_in_file(name: str) -> bytes:
    return (files(__package__) / f"{name}.classes").read_bytes()


def _lines(data: bytes) -> list[str]:
    if len(data) > MAX_BYTES:
        raise _LineError(f"the file is larger than {MAX_BYTES:,} bytes")
    return [line.strip() for line in data.decode().split("\n")]


class _Reader:
    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._rules: list[tuple[int, Rule]] = []

    def read(self, number: int, line: str) -> None:
        before, colon, after = line.partition(": ")
        if not colon or not after.strip():
            raise _LineError(f"expected “CLASS: RELATIONS”, found “{line[:80]}”")
        if not self._names:
            self._names = _read_names(before.strip(), after)
        else:
            self._add(number, _read_rule(before.strip(), after))

    def _add(self, number: int, rule: Rule) -> None:
        if rule.name not in self._names:
            raise _LineError(f"“{rule.name}” is not in the list of classes")
        for line, earlier in self._rules:
            for relation in rule.relations:
                if _hides(earlier, rule, relation):
                    raise _LineError(f"“{relation}” is never reached: the rule in line {line} always fits it")
        self._rules.append((number, rule))

    def finish(self) -> ErrorClasses:
        if not self._names:
            raise _LineError("the file is empty; the first line lists the classes: “classes: A, B”")
        rules = tuple(rule for _, rule in self._rules)
        if not rules or rules[-1].relations != (ANYTHING,) or rules[-1].condition:
            raise _LineError(f"the last rule must fit all other words: “{self._names[-1]}: *”")
        unused = [name for name in self._names if name not in {rule.name for rule in rules}]
        if unused:
            raise _LineError(f"no rule leads to “{unused[0]}”")
        return ErrorClasses(self._names, rules)


def _hides(earlier: Rule, later: Rule, relation: str) -> bool:
    """Whether every word with this relation that fits `later` has already fitted `earlier`."""
    same = (earlier.condition, earlier.expected) == (later.condition, later.expected)
    return (same or earlier.condition is None) and any(covers(own, relation) for own in earlier.relations)


def _read_names(key: str, text: str) -> tuple[str, ...]:
    if key != _HEADER:
        raise _LineError(f"the first line lists the classes, “{_HEADER}: A, B”; found “{key[:80]}”")
    names = tuple(name.strip() for name in text.split(","))
    if len(names) > MAX_CLASSES:
        raise _LineError(f"{len(names)} classes; at most {MAX_CLASSES} are allowed")
    for name in names:
        if not name or len(name) > MAX_NAME or not name.isprintable() or ":" in name:
            raise _LineError(f"a name has 1 to {MAX_NAME} printable characters and no colon: “{name[:80]}”")
        if names.count(name) > 1:
            raise _LineError(f"“{name}” is listed twice")
    return names


def _read_rule(name: str, text: str) -> Rule:
    relations, *condition = _CONDITION.split(text)
    listed = tuple(relations.split())
    if not listed:
        raise _LineError("the rule names no relation")
    if ANYTHING in listed and len(listed) > 1:
        raise _LineError(f"“{ANYTHING}” must stand alone, because it fits every relation")
    if not condition:
        return Rule(name, listed)
    if len(condition) > 2:
        raise _LineError("a rule has at most one condition")
    keyword, clause = condition
    return Rule(name, listed, _read_condition(clause), keyword == "if")


def _read_condition(text: str) -> Condition:
    subject, *values = text.split() or [""]
    if subject not in _SUBJECTS or not values:
        raise _LineError(
            f"a condition is “child RELATIONS”, “upos TAGS” or “xpos TAGS”, found “{text.strip()[:80]}”"
        )
    return Condition(subject, frozenset(values))  # type: ignore[arg-type]
