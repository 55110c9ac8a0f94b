"""Limits on what the headers of a tar archive may cost, in memory and in time.

In: the uncompressed bytes of a tar. Out: a `TarStream` for `tarfile` to read from, and `BoundedHeader` as its
class of entries. An entry can have extended headers before its own: long names of GNU, records of PAX. The
library reads each of them completely into memory and calls itself for the next, so that their sizes, their
number and their sum are limited here. It also treats a damaged header as the end of the archive, which would
silently lose the files after it.
"""

from __future__ import annotations

import re
import tarfile
from tarfile import InvalidHeaderError as InvalidHeaderError  # type: ignore[attr-defined]
from tarfile import TruncatedHeaderError  # type: ignore[attr-defined]
from typing import cast

from .decompress import Readable

EXTENDED_HEADER_BYTES = 8 * 1024
"""Of one extended header, which the library reads at once; paths have up to 4096."""
ENTRY_HEADER_BYTES = 32 * 1024
"""Of all headers of one entry."""
AVERAGE_HEADER_BYTES = 2 * 1024
"""Of all headers of the archive, per entry that it may have; PAX usually takes 1536 bytes."""
PADDING_BYTES = 1024 * 1024
"""After the last entry. Programs fill the last record, of up to this size, with zeros."""
ENDLESS_NUMBER = re.compile(rb"[0-9]{300}")
"""Before Python 3.11.10 the library parses such a number in time quadratic in its length."""
CHUNK = 64 * 1024
TOO_LONG = "the header of one of its entries is too long"


class TarStream:
    """The uncompressed bytes of a tar, read forwards only, and no more than its entries account for."""

    def __init__(self, plain: Readable, *, max_entries: int) -> None:
        self.plain = plain
        self.position = 0
        self.allowed = ENTRY_HEADER_BYTES
        self.header_bytes_left = max_entries * AVERAGE_HEADER_BYTES
        self.end_of_entry = 0
        self.is_in_header = False

    def read(self, size: int, /) -> bytes:
        if self.is_in_header and not 0 <= size <= EXTENDED_HEADER_BYTES:
            raise tarfile.ReadError(TOO_LONG)
        pieces = []
        while size > 0 and (piece := self.plain.read(min(size, CHUNK))):
            pieces.append(piece)
            size -= len(piece)
            self.position += len(piece)
            if self.position > self.allowed:
                raise tarfile.ReadError(TOO_LONG)
        data = b"".join(pieces)
        if self.is_in_header and ENDLESS_NUMBER.search(data):
            raise tarfile.ReadError("a number in one of its headers is too long")
        return data

    def seek(self, position: int, /) -> int:
        if position < self.position:
            raise tarfile.StreamError("one of its entries has inconsistent sizes")
        while self.position < position and self.read(min(CHUNK, position - self.position)):
            pass
        return self.position

    def tell(self) -> int:
        return self.position

    def enter(self, entry: tarfile.TarInfo, end: int) -> None:
        """Called at the beginning of an entry whose content ends at `end`."""
        stored = end - entry.offset_data
        if entry.size < 0 or stored >= entry.size + tarfile.BLOCKSIZE:
            raise tarfile.ReadError("one of its entries has inconsistent sizes")
        self.header_bytes_left -= entry.offset_data - self.end_of_entry
        if self.header_bytes_left < 0:
            raise tarfile.ReadError(TOO_LONG)
        self.end_of_entry = end
        self.allowed = end + ENTRY_HEADER_BYTES

    def read_to_the_end(self) -> None:
        """The checksum comes last: without reading it, a truncated file would be accepted."""
        self.allowed = self.position + PADDING_BYTES
        while self.read(CHUNK):
            pass


class BoundedHeader(tarfile.TarInfo):
    """The header of an entry, read within the limits of the stream; if damaged, an error, not the end."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> BoundedHeader:
        stream = cast(TarStream, archive.fileobj)
        was_in_header, stream.is_in_header = stream.is_in_header, True
        try:
            return super().fromtarfile(archive)
        except (InvalidHeaderError, TruncatedHeaderError) as error:
            if archive.offset == 0:
                raise
            raise tarfile.ReadError(f"the header of one of its entries is damaged: {error}") from error
        finally:
            stream.is_in_header = was_in_header
