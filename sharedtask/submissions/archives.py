"""Reading zip, tar.gz and tar.xz archives that nobody vouches for, as a stream of members.

In: a path. Out: for each entry a `Member` with its name, kind, declared size and a way to read it in
chunks. The format is told by the first bytes, not by the name. Whatever is wrong with the archive as
such is a `Refusal`; what the names and sizes mean is for `unpack.py` to judge. A file that we cannot read
ourselves raises what the operating system says.
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

from sharedtask.core.errors import Refusal
from sharedtask.core.limits import UploadLimits
from sharedtask.core.unpacking.decompress import Readable, gzip_reader, xz_reader
from sharedtask.core.unpacking.source import Source, library_errors
from sharedtask.core.unpacking.tar_headers import BoundedHeader, InvalidHeaderError, TarStream
from sharedtask.core.unpacking.zip_directory import (
    END_SIGNATURE,
    TAIL_BYTES,
    TooManyEntries,
    check_directory,
)
from sharedtask.submissions.formats import ENOUGH_BYTES, damaged, no_tar, unreadable

CHUNK = 64 * 1024
DIRECTORY_BYTES = 1024
"""What a zip may say of one entry, on average."""


@dataclass(frozen=True, kw_only=True)
class Member:
    name: str
    is_file: bool
    is_folder: bool
    size: int
    """As the archive declares it; the reader counts for itself."""
    packed_size: int | None
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


def members(path: Path, limits: UploadLimits) -> Iterator[Member]:
    with path.open("rb") as file:
        yield from members_of(file, limits)


def members_of(file: BinaryIO, limits: UploadLimits) -> Iterator[Member]:
    source = Source(file, max_read=max(limits.members * DIRECTORY_BYTES, TAIL_BYTES))
    with closing(members_in(source, limits)) as found:
        while True:
            with library_errors(source, damaged):
                member = next(found, None)
            if member is None:
                return
            yield member


def members_in(source: Source, limits: UploadLimits) -> Generator[Member, None, None]:
    start = source.read(ENOUGH_BYTES)
    source.seek(0)
    if start.startswith((b"PK\x03\x04", END_SIGNATURE)):
        yield from zip_members(source, limits)
    elif start.startswith(b"\x1f\x8b"):
        yield from tar_members(source, gzip_reader(source), limits)
    elif start.startswith(b"\xfd7zXZ\x00"):
        yield from tar_members(source, xz_reader(source), limits)
    else:
        raise unreadable(start)


def zip_members(source: Source, limits: UploadLimits) -> Iterator[Member]:
    try:
        check_directory(source, max_entries=limits.members, max_bytes=limits.members * DIRECTORY_BYTES)
    except TooManyEntries as error:
        raise too_many_members(limits) from error
    with zipfile.ZipFile(cast(IO[bytes], source)) as archive:
        for info in archive.infolist():
            if info.flag_bits & 0x1:
                raise Refusal(
                    "archive-encrypted",
                    f"{info.filename!r} is protected by a password. Please pack without one.",
                )
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise Refusal(
                    "zip-method-unknown",
                    f"{info.filename!r} is packed in an unusual way. Please use your program's default.",
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


def tar_members(source: Source, plain: Readable, limits: UploadLimits) -> Iterator[Member]:
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
            # The library remembers every entry, and what an archive says of all of them; here nobody asks
            # for an entry again, and no honest archive describes its files together.
            archive.members = []  # type: ignore[attr-defined]
            archive.pax_headers = {}
        stream.read_to_the_end()


def open_tar(stream: TarStream) -> tarfile.TarFile:
    try:
        return tarfile.TarFile(fileobj=cast(IO[bytes], stream), tarinfo=BoundedHeader)
    except tarfile.ReadError as error:
        # What the library found instead of the very first header.
        if isinstance(error.__context__, InvalidHeaderError):
            # Compressed data that are damaged can look like this, and tell so a little later.
            stream.read(tarfile.RECORDSIZE)
            raise no_tar() from error
        raise


def too_many_members(limits: UploadLimits) -> Refusal:
    return Refusal(
        "archive-too-many-members",
        f"The archive has more than {limits.members} entries. Pack only the .conllu files of this task.",
        expected=f"at most {limits.members} entries",
    )
