"""Headers of tar archives, read strictly: whatever two programs could understand differently is refused.

The engines parse the same bytes again with libraries of their own. What is accepted here has one meaning for
all of them, so that none finds another name, size or type than was checked.
"""

from __future__ import annotations

import re
import struct
from typing import NamedTuple

from .refusal import ImageRefused, quote

BLOCK = 512
LARGEST_OCTAL = 8**11 - 1
LARGEST_OWNER = 2**32 - 2
FIELDS = struct.Struct("100s8s8s8s12s12s8s1s100s8s80x155s12s")
"""Name, mode, user, group, size, time, checksum, type, link, magic; names and devices; prefix, the rest."""
POSIX, GNU = b"ustar\x0000", b"ustar  \0"
RECORD = re.compile(rb"([1-9][0-9]{0,5}) ([^=\0\n]+)=")
DECIMAL = re.compile(rb"[0-9]{1,15}")
PLAIN_RECORDS = {
    b"path", b"linkpath", b"size", b"uid", b"gid", b"uname", b"gname", b"mtime", b"atime", b"ctime",
    b"comment", b"LIBARCHIVE.creationtime",
}  # fmt: skip
ATTRIBUTE = b"SCHILY.xattr."
HIDDEN_ATTRIBUTES = (b"user.overlay.", b"user.fuseoverlayfs.", b"user.containers.")
"""With these, storage drivers record where a directory really is and what a file really is."""
REPACK = "Build the image with “docker build” or “podman build” and save it again."


class Header(NamedTuple):
    """A tuple, because there are hundreds of thousands of them."""

    name: bytes
    type: bytes
    size: int
    link: bytes


def header_error(where: str, what: str) -> ImageRefused:
    return ImageRefused("tar-header", f"A header in {where} is not valid: {what}.", REPACK)


def parse_number(field: bytes, where: str) -> int:
    """Octal digits between blanks, or a number in base 256 after a byte 128."""
    digits = field.rstrip(b"\0 ").lstrip(b" ")
    try:
        # Python also accepts signs and underscores.
        if digits.isdigit():
            return int(digits, 8)
    except ValueError:
        pass
    if field[:1] == b"\x80":
        return int.from_bytes(field[1:], "big")
    if digits:
        raise header_error(where, "a number is malformed")
    return 0


def parse_header(block: bytes, where: str) -> Header:
    """The fields of one block of 512 bytes that is not zero."""
    name, mode, user, group, size, time, checksum, type, link, magic, prefix, end = FIELDS.unpack(block)
    if sum(block) - sum(checksum) + 8 * 32 != parse_number(checksum, where):
        raise header_error(where, "its checksum is wrong")
    if magic not in (POSIX, GNU) or end.endswith(b"tar\0"):
        raise header_error(where, "its format is neither POSIX nor GNU")
    # GNU has times here, or nothing, but some programs take them for the beginning of the name.
    if magic == GNU and any(prefix):
        raise header_error(where, "it has fields of an incremental backup")
    parse_number(mode, where)
    if parse_number(user, where) > LARGEST_OWNER or parse_number(group, where) > LARGEST_OWNER:
        raise header_error(where, "a user or group id is too large")
    # Times before 1970 are negative, in base 256.
    if time[0] != 0xFF:
        parse_number(time, where)
    name, prefix = name.partition(b"\0")[0], prefix.partition(b"\0")[0]
    return Header(
        name=prefix + b"/" + name if prefix else name,
        type=type,
        size=parse_number(size, where),
        link=link.partition(b"\0")[0],
    )


def parse_records(data: bytes, where: str) -> dict[bytes, bytes]:
    """The records of a PAX header, each `LENGTH KEY=VALUE` and a line end."""
    records: dict[bytes, bytes] = {}
    start = 0
    while start < len(data):
        match = RECORD.match(data, start)
        if match is None:
            raise header_error(where, "a PAX record is malformed")
        end = start + int(match[1])
        key, value = match[2], data[match.end() : end - 1]
        if end > len(data) or end <= match.end() or data[end - 1] != 0x0A:
            raise header_error(where, "the length of a PAX record is wrong")
        if key in records:
            raise header_error(where, f"the PAX record {quote(key)} occurs twice")
        check_record(key, value, where)
        records[key] = value
        start = end
    return records


def check_record(key: bytes, value: bytes, where: str) -> None:
    if key.startswith(b"GNU.sparse."):
        raise sparse(where)
    if key.startswith(ATTRIBUTE):
        check_attribute(key.removeprefix(ATTRIBUTE), where)
    elif key not in PLAIN_RECORDS:
        raise header_error(where, f"the PAX record {quote(key)} is not known")
    elif key in (b"path", b"linkpath") and (not value or b"\0" in value):
        raise header_error(where, "a name is empty or contains a zero byte")
    elif key in (b"size", b"uid", b"gid") and not DECIMAL.fullmatch(value):
        raise header_error(where, f"the PAX record {quote(key)} is not a number")
    elif key in (b"uid", b"gid") and int(value) > LARGEST_OWNER:
        raise header_error(where, "a user or group id is too large")


def check_attribute(name: bytes, where: str) -> None:
    if name != b"security.capability" and (
        not name.startswith(b"user.") or name.startswith(HIDDEN_ATTRIBUTES)
    ):
        raise ImageRefused(
            "attribute",
            f"A file in {where} has the extended attribute {quote(name)}, which is not allowed.",
            "Remove the attribute with “setfattr -x”, or rebuild the image from its Dockerfile.",
        )


def sparse(where: str) -> ImageRefused:
    return ImageRefused(
        "sparse-file",
        f"There is a sparse file in {where}.",
        "Pack it without gaps: tar must be used without --sparse.",
    )
