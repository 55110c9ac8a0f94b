"""The lines of an uploaded file around one of them, with the incidents that the check found there.

In: a stream, the number of a line, the file's incidents. Out: `Line`s. The stream is read as far as is needed
and never kept; a line is cut where it is too long to be read by anybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO

from evaluation import KINDS

REACH = 12
"""Lines shown before and after."""
LONGEST = 1_000
PACKED = (b"\x1f\x8b", b"\xfd7zXZ", b"BZh")
COLUMNS = 10

Incident = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Line:
    number: int
    text: str
    columns: tuple[str, ...]
    """Of a line with words; nothing for a comment, a blank line, or whatever has no tabs."""
    incidents: Sequence[Incident]

    @property
    def span_of_last(self) -> int:
        """A line with too few columns shows where it ends."""
        return COLUMNS - len(self.columns) + 1


def excerpt(stream: BinaryIO, around: int, incidents: Sequence[Incident]) -> list[Line]:
    """Empty for a line that the file does not have, and for a file that is compressed itself."""
    first = max(1, around - REACH)
    by_line: dict[int, list[Incident]] = {}
    for incident in incidents:
        by_line.setdefault(incident["line"] or 0, []).append(explained(incident))
    numbered = enumerate(pieces(stream), start=1)
    wanted = islice(numbered, first - 1, around + REACH)
    return [line(number, raw, by_line.get(number, ())) for number, raw in wanted]


def pieces(stream: BinaryIO) -> Iterator[bytes]:
    """Line after line, each cut to what is shown, so that one without an end costs no memory."""
    beginning = stream.readline(LONGEST * 4)
    if beginning.startswith(PACKED):
        return
    while beginning:
        rest = beginning
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(1 << 20)
        yield beginning
        beginning = stream.readline(LONGEST * 4)


def line(number: int, raw: bytes, incidents: Sequence[Incident]) -> Line:
    text = shown(raw.decode("utf-8", "replace").rstrip("\r\n"))
    is_words = "\t" in text and not text.startswith("#")
    columns = tuple(text.split("\t", COLUMNS - 1)) if is_words else ()
    return Line(number=number, text=text, columns=columns, incidents=incidents)


def shown(text: str) -> str:
    """Control and bidirectional characters are written out, for they would hide what is wrong."""
    cut = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    return "".join(c if c.isprintable() or c in " \t" else f"\\u{ord(c):04x}" for c in cut)


def explained(incident: Incident) -> Incident:
    kind = KINDS.get(incident["id"])
    return {**incident, "remedy": kind.remedy if kind else ""}
