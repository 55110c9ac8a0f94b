"""Read untrusted zip, tar.gz and tar.xz archives as a stream of members.

In: a path. Out: for each entry a `Member` with its name, kind, declared size and a way to read it in
chunks. The first bytes decide the format, not the name. Anything wrong with the archive itself is a
`Refusal`; `unpack.py` judges names and sizes. An error of our own disk raises the operating system's
exception.
"""

from __future__ import annotations

import stat
import tarfile
import zipfile
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from .decompress import Readable, gzip_reader, xz_reader
from .formats import HEADER_BYTES, damaged, not_a_tar, unreadable
from .limits import ArchiveLimits
from .refusal import Refusal
from .source import Source, library_errors
from .tar_headers import BoundedHeader, InvalidHeaderError, TarStream
from .zip_directory import (
    END_SIGNATURE,
    TAIL_BYTES,
    TooManyEntries,
    check_directory,
)

CHUNK = 64 * 1024
DIRECTORY_BYTES = 1024
"""Bytes per entry that the directory of a zip may have, on average."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What names and sizes are judged by."""

    name: str
    is_file: bool
    is_folder: bool
    size: int
    """As the archive declares it; the reader counts the actual bytes."""
    packed_size: int | None


@dataclass(frozen=True, kw_only=True)
class Member(Entry):
    open: Callable[[], Readable]
    source: Source

    def chunks(self) -> Iterator[bytes]:
        with library_errors(self.source, damaged):
            stream = self.open()
        while True:
            with library_errors(self.source, damaged):
                chunk = stream.read(CHUNK)
            if not chunk:
                return
            yield chunk


def members(path: Path, limits: ArchiveLimits) -> Iterator[Member]:
    with path.open("rb") as file:
        yield from members_of(file, limits)


def members_of(file: BinaryIO, limits: ArchiveLimits) -> Iterator[Member]:
    source = Source(file, max_read=max(limits.members * DIRECTORY_BYTES, TAIL_BYTES))
    with closing(members_in(source, limits)) as entries:
        while True:
            with library_errors(source, damaged):
                member = next(entries, None)
            if member is None:
                return
            yield member


def members_in(source: Source, limits: ArchiveLimits) -> Generator[Member, None, None]:
    start = source.read(HEADER_BYTES)
    source.seek(0)
    if start.startswith((b"PK\x03\x04", END_SIGNATURE)):
        yield from zip_members(source, limits)
    elif start.startswith(b"\x1f\x8b"):
        yield from tar_members(source, gzip_reader(source), limits)
    elif start.startswith(b"\xfd7zXZ\x00"):
        yield from tar_members(source, xz_reader(source), limits)
    else:
        raise unreadable(start)


def zip_members(source: Source, limits: ArchiveLimits) -> Iterator[Member]:
    try:
        check_directory(source, max_entries=limits.members, max_bytes=limits.members * DIRECTORY_BYTES)
    except TooManyEntries as error:
        raise too_many_members(limits) from error
    with zipfile.ZipFile(cast(IO[bytes], source)) as archive:
        for info in archive.infolist():
            if info.flag_bits & 0x1:
                raise Refusal(
                    "archive-encrypted",
                    f"{info.filename!r} is protected by a password. Please create the archive without one.",
                )
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise Refusal(
                    "zip-method-unknown",
                    f"{info.filename!r} uses an unsupported compression method. Please use the default.",
                    found=f"method {info.compress_type}",
                    expected="stored (0) or deflate (8)",
                )
            mode = info.external_attr >> 16
            plain = stat.S_IFMT(mode) in (0, stat.S_IFREG)
            yield Member(
                name=info.filename,
                is_file=plain and not info.is_dir(),
                is_folder=info.is_dir(),
                size=info.file_size,
                packed_size=info.compress_size,
                open=lambda info=info: archive.open(info),  # type: ignore[misc]
                source=source,
            )


def tar_members(source: Source, plain: Readable, limits: ArchiveLimits) -> Iterator[Member]:
    stream = TarStream(plain, max_entries=limits.members)
    with open_tar(stream) as archive:
        for info in archive:
            # Declared sizes are judged by the consumer before it asks for the next entry.
            stream.enter(info, end=archive.offset)
            yield Member(
                name=info.name,
                is_file=info.isreg() and not info.issparse(),
                is_folder=info.isdir(),
                size=info.size,
                packed_size=None,
                open=lambda info=info: cast(Readable, archive.extractfile(info)),  # type: ignore[misc]
                source=source,
            )
            # The library keeps every entry and all global headers in memory. No entry is needed again, and
            # ordinary archives have no global headers.
            archive.members = []  # type: ignore[attr-defined]
            archive.pax_headers = {}
        stream.read_to_the_end()


def open_tar(stream: TarStream) -> tarfile.TarFile:
    try:
        return tarfile.TarFile(fileobj=cast(IO[bytes], stream), tarinfo=BoundedHeader)
    except tarfile.ReadError as error:
        # The context is the error about the first header.
        if isinstance(error.__context__, InvalidHeaderError):
            # Damaged compressed data can look like this too; reading on then raises the actual error.
            stream.read(tarfile.RECORDSIZE)
            raise not_a_tar() from error
        raise


def too_many_members(limits: ArchiveLimits) -> Refusal:
    return Refusal(
        "archive-too-many-members",
        f"The archive has more than {limits.members} entries. Include only the .conllu files of this task.",
        expected=f"at most {limits.members} entries",
    )
