"""The members of a tar archive, in order, each with its final name, size and place.

Long names and PAX records belong to the member after them; they are applied here and never returned.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from .refusal import ImageRefused, quote
from .tar_headers import (
    BLOCK,
    LARGEST_OCTAL,
    REPACK,
    Header,
    header_error,
    parse_header,
    parse_records,
    sparse,
)

ZERO = bytes(BLOCK)
FILE, HARD_LINK, SYMBOLIC_LINK, DIRECTORY = b"0", b"1", b"2", b"5"
OLD_FILE = b"\0"
DEVICES = {b"3": "a character device", b"4": "a block device", b"6": "a named pipe"}
LONG_LINK, LONG_NAME, RECORDS, SPARSE = b"K", b"L", b"x", b"S"
LONGEST_PATH = 4096
LONGEST_RECORDS = 128 * 1024
"""Extended attributes, of up to 64 KiB each, are among them."""


class Parsed(Protocol):
    """What is parsed: a stream of either kind."""

    where: str

    @property
    def position(self) -> int: ...
    def take(self, size: int) -> bytes: ...
    def skip(self, size: int) -> None: ...
    def is_zero_to_the_end(self) -> bool: ...


class Member(NamedTuple):
    name: bytes
    type: bytes
    size: int
    link: bytes
    offset: int
    """Of its content in the archive."""


def members(stream: Parsed) -> Iterator[Member]:
    """To the very end of the archive; behind its last member there are zeros only."""
    extensions: dict[bytes, bytes] = {}
    while (block := stream.take(BLOCK)) != ZERO:
        header = parse_header(block, stream.where)
        if header.type in (LONG_LINK, LONG_NAME, RECORDS):
            if header.type in extensions:
                raise header_error(stream.where, "an extension occurs twice")
            extensions[header.type] = take_extension(stream, header)
            continue
        if extensions:
            header = extend(header, extensions, stream.where)
            extensions = {}
        check_type(header, stream.where)
        yield Member(*header, stream.position)
        stream.skip(padded(header.size))
    if extensions or stream.take(BLOCK) != ZERO or not stream.is_zero_to_the_end():
        raise ImageRefused("data-after-end", f"There is more data after the end of {stream.where}.", REPACK)


def padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK


def take_extension(stream: Parsed, header: Header) -> bytes:
    longest = LONGEST_RECORDS if header.type == RECORDS else LONGEST_PATH
    if header.size > longest:
        raise header_error(stream.where, f"an extension is longer than {longest:,} bytes")
    return stream.take(padded(header.size))[: header.size]


def extend(header: Header, extensions: dict[bytes, bytes], where: str) -> Header:
    if header.type == OLD_FILE:
        # Old archives mark directories by a slash; programs disagree on which of two names has to end in it.
        check_not_like_directory(header, where)
    records = parse_records(extensions[RECORDS], where) if RECORDS in extensions else {}
    if (LONG_NAME in extensions and b"path" in records) or (
        LONG_LINK in extensions and b"linkpath" in records
    ):
        raise header_error(where, "a name is given twice")
    size = int(records.get(b"size", b"%d" % header.size))
    # A size that does not fit its field is zero there.
    if size != header.size and not (header.size == 0 and size > LARGEST_OCTAL):
        raise header_error(where, "a size is given twice")
    return header._replace(
        name=records.get(b"path") or unterminated(extensions.get(LONG_NAME), where) or header.name,
        link=records.get(b"linkpath") or unterminated(extensions.get(LONG_LINK), where) or header.link,
        size=size,
    )


def unterminated(text: bytes | None, where: str) -> bytes | None:
    if text is None:
        return None
    name = text[:-1]
    # Without the zero at its end, some programs would read on in the padding.
    if not name or b"\0" in name or text[-1] != 0:
        raise header_error(where, "a long name does not end in its only zero byte")
    return name


def check_type(header: Header, where: str) -> None:
    if header.type == SPARSE:
        raise sparse(where)
    if header.type in DEVICES:
        raise ImageRefused(
            "device",
            f"In {where}, {quote(header.name)} is {DEVICES[header.type]}.",
            "Remove it from the image; containers get the usual devices from the engine.",
        )
    if header.type not in (FILE, OLD_FILE, HARD_LINK, SYMBOLIC_LINK, DIRECTORY):
        raise header_error(where, f"the type {header.type!r} is not known")
    if header.type != DIRECTORY:
        check_not_like_directory(header, where)
    if header.size and header.type not in (FILE, OLD_FILE):
        raise header_error(where, "a directory or link has a size")


def check_not_like_directory(header: Header, where: str) -> None:
    if header.name.endswith(b"/"):
        raise header_error(where, "the name of a file ends in a slash")
