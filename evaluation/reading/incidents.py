"""Errors in one file: incidents, each of a kind, and the report that collects them.

A check finds all rows with an error at once and passes them to `Collector.add`, which counts all of them and
describes only as many as the limit allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .fields import Bytes, Ints
from .kinds import KINDS, Kind

_MAX_CHARACTERS = 60
# One more character than the limit, of four bytes each: the rest of a huge line is not decoded.
_MAX_BYTES = 4 * (_MAX_CHARACTERS + 1)


def visible(text: str) -> str:
    """The text safe to print: control and bidirectional characters escaped, and not too long."""
    shortened = text if len(text) <= _MAX_CHARACTERS else text[: _MAX_CHARACTERS - 1] + "…"
    return "".join(c if c.isprintable() or c == " " else f"\\u{ord(c):04x}" for c in shortened)


def visible_bytes(text: bytes | Bytes, errors: str = "replace") -> str:
    """The same for bytes that should be UTF-8; only the beginning is decoded."""
    return visible(bytes(text[:_MAX_BYTES]).decode("utf-8", errors))


@dataclass(frozen=True, slots=True)
class Incident:
    """One error at one location. Lines and sentences count from 1."""

    id: str
    line: int | None
    sentence: int | None
    found: str
    expected: str
    hint: str = ""

    @property
    def kind(self) -> Kind:
        return KINDS[self.id]

    @property
    def fatal(self) -> bool:
        return self.kind.fatal

    @property
    def message(self) -> str:
        message = f"{self.kind.title}: found {self.found}, expected {self.expected}."
        return f"{message} {self.hint}" if self.hint else message

    def as_dict(self) -> dict[str, str | int | bool | None]:
        return {
            "id": self.id,
            "line": self.line,
            "sentence": self.sentence,
            "found": self.found,
            "expected": self.expected,
            "message": self.message,
            "fatal": self.fatal,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """The errors in one file: incidents in the order of lines, and the number of each kind."""

    name: str
    incidents: tuple[Incident, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def valid(self) -> bool:
        return not any(KINDS[id].fatal for id in self.counts)

    def merged_with(self, other: Report) -> Report:
        """Both reports as one; `other` is about another aspect of the same file."""
        counts = dict(self.counts)
        for id, count in other.counts.items():
            counts[id] = counts.get(id, 0) + count
        return Report(self.name, _sorted((*self.incidents, *other.incidents)), counts)


class InvalidFile(Exception):
    """The file cannot be scored; `report` lists the reasons."""

    def __init__(self, report: Report) -> None:
        first = next((i for i in report.incidents if i.fatal), None)
        place = f"line {first.line}: " if first and first.line else ""
        super().__init__(f"{report.name}: {place}{first.message if first else 'invalid'}")
        self.report = report

    def __reduce__(self) -> tuple[type[InvalidFile], tuple[Report]]:
        return type(self), (self.report,)


class Collector:
    """Collects the incidents of one file: all are counted, at most `cap` of each kind are described."""

    def __init__(self, name: str, cap: int) -> None:
        self._name = name
        self._cap = cap
        self._incidents: list[Incident] = []
        self._counts: dict[str, int] = {}

    def add(self, id: str, rows: Sequence[int] | Ints, describe: Callable[[int], Incident]) -> None:
        """Count `rows` as incidents of kind `id`; describe the first of them."""
        if len(rows):
            before = self._counts.get(id, 0)
            self._counts[id] = before + len(rows)
            for row in rows[: max(self._cap - before, 0)]:
                self._incidents.append(describe(int(row)))

    def add_incident(self, incident: Incident) -> None:
        self.add(incident.id, (0,), lambda _: incident)

    def empty_copy(self) -> Collector:
        """An empty collector for the same file, for incidents that may turn out not to matter."""
        return Collector(self._name, self._cap)

    def merge(self, other: Collector) -> None:
        """Add the incidents of `other`, whose kinds must not be here yet."""
        self._incidents += other._incidents
        self._counts |= other._counts

    @property
    def report(self) -> Report:
        return Report(self._name, _sorted(self._incidents), dict(self._counts))


def _sorted(incidents: Iterable[Incident]) -> tuple[Incident, ...]:
    return tuple(sorted(incidents, key=lambda i: (i.line or 0, i.id)))
