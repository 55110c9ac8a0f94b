"""Reading zip, tar.gz and tar.xz archives that nobody vouches for, as a stream of members.

In: a path. Out: for each entry a `Member` with its name, kind, declared size and a way to read it in
chunks. The format is told by the first bytes, not by the name. Whatever is wrong with the archive as
such is a `Refusal`; what the names and sizes mean is for `unpack.py` to judge.
"""

from __future__ import annotations

import gzip
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from sharedtask.core.errors import Refusal
from sharedtask.core.limits import UploadLimits
from sharedtask.submissions.formats import ENOUGH_BYTES, damaged, no_tar, unreadable

CHUNK = 64 * 1024
HEADER_BYTES = 64 * 1024
"""What one tar entry may spend on headers: long names need a few hundred bytes, a trap takes gigabytes."""
XZ_MEMORY_BYTES = 256 * 1024 * 1024

NO_TAR = ("invalid header", "bad checksum")
"""What the library says of the first entry alone; it takes a later one for the end."""

END_OF_ZIP = b"PK\x05\x06"
ZIP64_LOCATOR = b"PK\x06\x07"


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, kw_only=True)
class Member:
    name: str
    is_file: bool
    is_folder: bool
    size: int
    """As the archive declares it; the reader counts for itself."""
    packed_size: int | None
    open: Callable[[], Readable]

    def chunks(self) -> Iterator[bytes]:
        stream = self.open()
        while chunk := stream.read(CHUNK):
            yield chunk


@contextmanager
def faults_of_the_archive() -> Iterator[None]:
    """What the libraries raise on a broken archive is the team's fault, not a failure of the worker."""
    try:
        yield
    except lzma.LZMAError as error:
        raise damaged("xz: " + str(error)) from error
    except tarfile.ReadError as error:
        raise (no_tar() if str(error) in NO_TAR else damaged(error)) from error
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, gzip.BadGzipFile, EOFError) as error:
        raise damaged(str(error) or type(error).__name__) from error


def members(path: Path, limits: UploadLimits) -> Iterator[Member]:
    with path.open("rb") as file:
        start = file.read(ENOUGH_BYTES)
        file.seek(0)
        if start.startswith((b"PK\x03\x04", END_OF_ZIP)):
            yield from zip_members(file, limits)
        elif start.startswith(b"\x1f\x8b"):
            with gzip.GzipFile(fileobj=file) as plain:
                yield from tar_members(plain, limits)
        elif start.startswith(b"\xfd7zXZ\x00"):
            yield from tar_members(XzReader(file), limits)
        else:
            raise unreadable(start)


def zip_members(file: IO[bytes], limits: UploadLimits) -> Iterator[Member]:
    check_zip_directory(file, limits)
    with zipfile.ZipFile(file) as archive:
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
            )


def check_zip_directory(file: IO[bytes], limits: UploadLimits) -> None:
    """Refuse a huge table of contents before the library reads all of it into memory."""
    size = file.seek(0, 2)
    file.seek(max(0, size - 65_557))
    tail = file.read()
    file.seek(0)
    for position in {len(tail) - 22, tail.rfind(END_OF_ZIP)}:
        if position < 0 or not tail.startswith(END_OF_ZIP, position):
            continue
        entries = int.from_bytes(tail[position + 10 : position + 12], "little")
        directory_bytes = int.from_bytes(tail[position + 12 : position + 16], "little")
        zip64 = tail.startswith(ZIP64_LOCATOR, position - 20) if position >= 20 else False
        if zip64 or entries > limits.members or directory_bytes > limits.members * 1024:
            raise too_many_members(limits)


def tar_members(plain: Readable, limits: UploadLimits) -> Iterator[Member]:
    metered = Metered(plain)
    with tarfile.open(fileobj=metered, mode="r|") as archive:  # type: ignore[call-overload]
        for info in archive:
            # Declared sizes are judged by the consumer before it asks for the next entry.
            metered.grant(info.size)
            yield Member(
                name=info.name,
                is_file=info.isreg() and not info.issparse(),
                is_folder=info.isdir(),
                size=info.size,
                packed_size=None,
                open=lambda info=info: archive.extractfile(info),  # type: ignore[misc]
            )
            # The library remembers every entry; in a stream nobody asks for one again.
            archive.members = []
        # The checksum comes last: without reading up to it a file that was cut off would pass.
        while metered.read(CHUNK):
            pass


class Metered:
    """A reader that gives out no more than what the entries seen so far account for."""

    def __init__(self, plain: Readable) -> None:
        self.plain = plain
        self.left = tarfile.RECORDSIZE + HEADER_BYTES

    def grant(self, size: int) -> None:
        self.left += size + HEADER_BYTES

    def read(self, size: int) -> bytes:
        data = self.plain.read(size)
        self.left -= len(data)
        if self.left < 0:
            raise damaged("one of its entries has more header than file")
        return data


class XzReader:
    """Like `lzma.LZMAFile`, with a limit on memory: a hostile header may ask for four gigabytes."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY_BYTES)

    def read(self, size: int) -> bytes:
        while True:
            if self.decompressor.eof:
                following = self.decompressor.unused_data.lstrip(b"\0") or self.file.read(CHUNK)
                if not following.strip(b"\0"):
                    return b""
                self.decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY_BYTES)
            else:
                following = self.file.read(CHUNK) if self.decompressor.needs_input else b""
                if not following and self.decompressor.needs_input:
                    raise EOFError("the file ends too early")
            data = self.decompressor.decompress(following, size)
            if data:
                return data


def too_many_members(limits: UploadLimits) -> Refusal:
    return Refusal(
        "archive-too-many-members",
        f"The archive has more than {limits.members} entries. Pack only the .conllu files of this task.",
        expected=f"at most {limits.members} entries",
    )
