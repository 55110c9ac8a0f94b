"""The central directory of a zip, measured before `zipfile` reads all of it into memory.

In: the file. Out: nothing, or `TooManyEntries`, or `zipfile.BadZipFile` where the figures contradict each
other. The directory is looked for where `zipfile` looks: by the end record in the last bytes of the file, or
by the last one that stands before up to 65,536 bytes of comment, and by the record of zip64 in front of it.
`zipfile` believes the size of the directory and ignores the number of entries. Should a version of it look
elsewhere, the `Source` that it reads from still gives out no more than the limit.
"""

from __future__ import annotations

import struct
import zipfile
from dataclasses import dataclass

from sharedtask.unpacking.source import Source

END = struct.Struct("<4s4H2LH")
END_SIGNATURE = b"PK\x05\x06"
END_64 = struct.Struct("<4sQ2H2L4Q")
END_64_SIGNATURE = b"PK\x06\x06"
LOCATOR = struct.Struct("<4sLQL")
LOCATOR_SIGNATURE = b"PK\x06\x07"
WINDOW_BYTES = END.size + (1 << 16)
"""Where the end record is looked for; a comment is shorter by one byte than what `zipfile` searches."""
TAIL_BYTES = WINDOW_BYTES + END_64.size + LOCATOR.size
SHORTEST_ENTRY = 46


class TooManyEntries(Exception):
    """The directory has more entries, or is larger, than is allowed."""


@dataclass(frozen=True, kw_only=True)
class Directory:
    entries: int
    size_bytes: int


def check_directory(source: Source, *, most_entries: int, most_bytes: int) -> None:
    directory = find_directory(source)
    if directory is None:
        raise zipfile.BadZipFile("it has no table of contents")
    if directory.size_bytes > source.size or directory.entries * SHORTEST_ENTRY > directory.size_bytes:
        raise zipfile.BadZipFile("its table of contents cannot be as large as it says")
    if directory.entries > most_entries or directory.size_bytes > most_bytes:
        raise TooManyEntries


def find_directory(source: Source) -> Directory | None:
    source.seek(max(0, source.size - TAIL_BYTES))
    tail = source.read(TAIL_BYTES)
    source.seek(0)
    place = place_of_end(tail)
    if place is None:
        return None
    entries, size_bytes = END.unpack_from(tail, place)[4:6]
    locator = place - LOCATOR.size
    end_64 = locator - END_64.size
    if (
        end_64 >= 0
        and tail.startswith(LOCATOR_SIGNATURE, locator)
        and tail.startswith(END_64_SIGNATURE, end_64)
    ):
        entries, size_bytes = END_64.unpack_from(tail, end_64)[7:9]
    return Directory(entries=entries, size_bytes=size_bytes)


def place_of_end(tail: bytes) -> int | None:
    last = len(tail) - END.size
    if last < 0:
        return None
    if tail.startswith(END_SIGNATURE, last) and tail.endswith(b"\0\0"):
        return last
    place = tail.rfind(END_SIGNATURE, max(0, len(tail) - WINDOW_BYTES))
    return place if 0 <= place <= last else None
