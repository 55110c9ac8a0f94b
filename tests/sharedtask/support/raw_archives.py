"""Archives put together record by record, which can say anything that a format allows or forbids."""

from __future__ import annotations

import gzip
import struct
import tarfile
import zlib
from collections.abc import Iterable

BLOCK = tarfile.BLOCKSIZE
END_OF_TAR = bytes(2 * BLOCK)
NAME = "de_one.conllu"


def local_header(name: bytes, content: bytes = b"", *, deflated: bool = False, extra: bytes = b"") -> bytes:
    """An entry of a zip, with its content."""
    packed = deflate(content) if deflated else content
    fields = (
        20,
        0,
        8 * deflated,
        0,
        0,
        zlib.crc32(content),
        len(packed),
        len(content),
        len(name),
        len(extra),
    )
    return struct.pack("<4s5H3L2H", b"PK\x03\x04", *fields) + name + extra + packed


def directory_entry(
    name: bytes,
    content: bytes = b"",
    *,
    deflated: bool = False,
    offset: int = 0,
    comment: bytes = b"",
    extra: bytes = b"",
    version: int = 20,
    flags: int = 0,
) -> bytes:
    """What the central directory of a zip says of an entry."""
    packed = deflate(content) if deflated else content
    sizes = (zlib.crc32(content), len(packed), len(content), len(name), len(extra), len(comment))
    fields = (20, version, flags, 8 * deflated, 0, 0, *sizes, 0, 0, 0, offset)
    return struct.pack("<4s6H3L5H2L", b"PK\x01\x02", *fields) + name + extra + comment


def deflate(content: bytes) -> bytes:
    return zlib.compress(content, 1, wbits=-zlib.MAX_WBITS)


def zip_end(*, entries: int, directory_bytes: int, offset: int, comment: bytes = b"") -> bytes:
    """The record at the end of a zip, by which the central directory is found."""
    fields = (0, 0, entries, entries, directory_bytes, offset, len(comment))
    return struct.pack("<4s4H2LH", b"PK\x05\x06", *fields) + comment


def zip64_end(*, entries: int, directory_bytes: int, offset: int) -> bytes:
    """The same in 64 bits, and the locator that says where it is; both stand before the plain record."""
    record = struct.pack(
        "<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, *([entries] * 2), directory_bytes, offset
    )
    return record + struct.pack("<4sLQL", b"PK\x06\x07", 0, offset + directory_bytes, 1)


def tar_entry(
    name: str, content: bytes = b"", *, kind: bytes = tarfile.REGTYPE, size: int | None = None
) -> bytes:
    """One entry of a tar; with `size` its header declares another size than the content has."""
    info = tarfile.TarInfo(name)
    info.type = kind
    info.size = len(content) if size is None else size
    return info.tobuf(tarfile.GNU_FORMAT) + padded(content)


def tar_extension(kind: bytes, content: bytes) -> bytes:
    """An extended header: long names of GNU, or records of PAX."""
    return tar_entry("././@Extension", content, kind=kind)


def pax_record(keyword: bytes, value: bytes) -> bytes:
    """A record begins with its own length, which counts the digits of the length too."""
    rest = b" " + keyword + b"=" + value + b"\n"
    length = len(rest)
    while length != len(rest) + len(str(length)):
        length = len(rest) + len(str(length))
    return str(length).encode() + rest


def padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % BLOCK)


def with_checksum(header: bytes) -> bytes:
    """A changed header of a tar entry, with the checksum that makes it valid again."""
    blank = header[:148] + b" " * 8 + header[156:]
    return blank[:148] + b"%06o\0 " % sum(blank) + blank[156:]


def packed_tar(pieces: Iterable[bytes]) -> bytes:
    return gzip.compress(b"".join(pieces) + END_OF_TAR, 1, mtime=0)


def number_in_base_256(value: int) -> bytes:
    return (256**12 + value).to_bytes(12, "big") if value < 0 else b"\x80" + value.to_bytes(11, "big")


def tar_of_size(size: int) -> bytes:
    header = tar_entry(NAME)
    return with_checksum(header[:124] + number_in_base_256(size) + header[136:])
