"""The lines of an uploaded file around a given line, with the incidents found there.

In: a stream, a line number, the file's incidents. Out: `ExcerptLine`s. The stream is read only as far as
necessary and not held in memory; very long lines are truncated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO

from evaluation import KINDS

CONTEXT_LINES = 12
"""Lines before and after the given one."""
MAX_CHARACTERS = 1_000
COMPRESSED = (b"\x1f\x8b", b"\xfd7zXZ", b"BZh")
COLUMNS = 10

Incident = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ExcerptLine:
    number: int
    text: str
    columns: tuple[str, ...]
    """Of a word line; empty for comments, blank lines and lines without tabs."""
    incidents: Sequence[Incident]

    @property
    def span_of_last(self) -> int:
        """The last column of a line with too few columns spans the missing ones."""
        return COLUMNS - len(self.columns) + 1


def excerpt(stream: BinaryIO, around: int, incidents: Sequence[Incident]) -> list[ExcerptLine]:
    """Empty if the file has no such line, or is itself compressed."""
    first = max(1, around - CONTEXT_LINES)
    by_line: dict[int, list[Incident]] = {}
    for incident in incidents:
        by_line.setdefault(incident["line"] or 0, []).append(with_remedy(incident))
    numbered = enumerate(read_lines(stream), start=1)
    selected = islice(numbered, first - 1, around + CONTEXT_LINES)
    return [parse_line(number, raw, by_line.get(number, ())) for number, raw in selected]


def read_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Read line by line, each truncated, so that a line without end needs no memory."""
    beginning = stream.readline(MAX_CHARACTERS * 4)
    if beginning.startswith(COMPRESSED):
        return
    while beginning:
        rest = beginning
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(1 << 20)
        yield beginning
        beginning = stream.readline(MAX_CHARACTERS * 4)


def parse_line(number: int, raw: bytes, incidents: Sequence[Incident]) -> ExcerptLine:
    text = make_printable(raw.decode("utf-8", "replace").rstrip("\r\n"))
    is_word_line = "\t" in text and not text.startswith("#")
    columns = tuple(text.split("\t", COLUMNS - 1)) if is_word_line else ()
    return ExcerptLine(number=number, text=text, columns=columns, incidents=incidents)


def make_printable(text: str) -> str:
    """Escape control and bidirectional characters, which would hide the problem."""
    truncated = text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS] + "…"
    return "".join(c if c.isprintable() or c in " \t" else f"\\u{ord(c):04x}" for c in truncated)


def with_remedy(incident: Incident) -> Incident:
    kind = KINDS.get(incident["id"])
    return {**incident, "remedy": kind.remedy if kind else ""}
