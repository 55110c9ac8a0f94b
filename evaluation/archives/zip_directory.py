"""The central directory of a zip, measured before `zipfile` reads all of it into memory.

In: the file. Out: nothing, or `TooManyEntries`, or `zipfile.BadZipFile` if its numbers contradict each other.
The directory is searched where `zipfile` searches it: by the end record in the last bytes of the file, or by
the last one before up to 65,536 bytes of comment, and by the zip64 records that belong to it. `zipfile`
trusts the size of the directory and ignores the number of entries. If some version of it searches elsewhere,
the `Source` that it reads from still returns no more than the limit.
"""

from __future__ import annotations

import struct
import zipfile
from dataclasses import dataclass

from .source import Source

END = struct.Struct("<4s4H2LH")
END_SIGNATURE = b"PK\x05\x06"
END_64 = struct.Struct("<4sQ2H2L4Q")
END_64_SIGNATURE = b"PK\x06\x06"
LOCATOR = struct.Struct("<4sLQL")
LOCATOR_SIGNATURE = b"PK\x06\x07"
WINDOW_BYTES = END.size + (1 << 16)
"""The part of the file in which `zipfile` searches the end record."""
TAIL_BYTES = WINDOW_BYTES + END_64.size + LOCATOR.size
SHORTEST_ENTRY = 46


class TooManyEntries(Exception):
    """The directory has more entries, or is larger, than is allowed."""


@dataclass(frozen=True, kw_only=True)
class Directory:
    entries: int
    size_bytes: int


def check_directory(source: Source, *, max_entries: int, max_bytes: int) -> None:
    directory = find_directory(source)
    if directory is None:
        raise zipfile.BadZipFile("it has no table of contents")
    if directory.size_bytes > source.size or directory.entries * SHORTEST_ENTRY > directory.size_bytes:
        raise zipfile.BadZipFile("its table of contents has an impossible size")
    if directory.entries > max_entries or directory.size_bytes > max_bytes:
        raise TooManyEntries


def find_directory(source: Source) -> Directory | None:
    """The directory; the largest one if versions of the library disagree about which one it is."""
    source.seek(max(0, source.size - TAIL_BYTES))
    tail = source.read(TAIL_BYTES)
    place = place_of_end(tail)
    if place is None:
        return None
    figures = [END.unpack_from(tail, place)[4:6]]
    locator = tail[:place][-LOCATOR.size :]
    if locator.startswith(LOCATOR_SIGNATURE) and place >= LOCATOR.size + END_64.size:
        # This version takes the record in front of the locator, later ones the one that it points to.
        in_front = tail[place - LOCATOR.size - END_64.size :]
        figures = figures_of_zip64(in_front) or figures
        figures += figures_of_zip64(read_at(source, LOCATOR.unpack(locator)[2]))
    source.seek(0)
    entries, size_bytes = (max(candidates) for candidates in zip(*figures, strict=True))
    return Directory(entries=entries, size_bytes=size_bytes)


def figures_of_zip64(record: bytes) -> list[tuple[int, int]]:
    """Entries and size, if this is a record of zip64."""
    return [END_64.unpack_from(record)[7:9]] if record.startswith(END_64_SIGNATURE) else []


def read_at(source: Source, offset: int) -> bytes:
    if offset > source.size - END_64.size:
        return b""
    source.seek(offset)
    return source.read(END_64.size)


def place_of_end(tail: bytes) -> int | None:
    last = len(tail) - END.size
    if last < 0:
        return None
    if tail.startswith(END_SIGNATURE, last) and tail.endswith(b"\0\0"):
        return last
    place = tail.rfind(END_SIGNATURE, max(0, len(tail) - WINDOW_BYTES))
    return place if 0 <= place <= last else None
