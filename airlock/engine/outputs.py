"""Read the output directory back. In: the engine's tar stream of it. Out: its files, one after the other.

Whatever a system can do to a file system is in that stream: links, devices, pipes, names with any bytes, and
files that claim more bytes than they take. Nothing is extracted, no link is followed, and the number of bytes
is limited.
"""

from __future__ import annotations

import io
import tarfile
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, BinaryIO, cast

from .calls import engine_call
from .errors import SystemFailure
from .limits import Limits
from .outcome import OutputFile

HEADER_BYTES = 12 * 1024
"""At most so much for a file besides its content: a path of 4096 bytes and a link target, with padding."""
DEPTH, NAME_BYTES = 32, 255
KINDS = {
    tarfile.LNKTYPE: "a hard link",
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a named pipe",
    tarfile.GNUTYPE_SPARSE: "a sparse file",
}


def read_outputs(chunks: Iterable[bytes], limits: Limits) -> Iterator[OutputFile]:
    budget = limits.output_bytes + (limits.output_files + 16) * HEADER_BYTES
    source = _Chunks(iter(chunks), budget)
    with (
        _reading(),
        tarfile.open(
            fileobj=cast(IO[bytes], source), mode="r|", encoding="utf-8", errors="surrogateescape"
        ) as tar,
    ):
        yield from _members(tar, limits)


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except tarfile.TarError as error:
        raise SystemFailure(f"The output directory cannot be read back: {error}.") from error


def _members(tar: tarfile.TarFile, limits: Limits) -> Iterator[OutputFile]:
    files = content_bytes = 0
    while (member := tar.next()) is not None:
        # Else tarfile would remember every member.
        tar.members.clear()  # type: ignore[attr-defined]
        name = member.name.partition("/")[2]
        if not name or member.isdir():
            continue
        files += 1
        content_bytes += member.size
        if files > limits.output_files:
            raise SystemFailure(f"The output directory has more than {limits.output_files:,} files.")
        if content_bytes > limits.output_bytes:
            raise SystemFailure(f"The output files have more than {limits.output_bytes:,} bytes in total.")
        yield _output(tar, member, name)


def _output(tar: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> OutputFile:
    kind = None if member.isreg() and not member.issparse() else KINDS.get(member.type, "not a regular file")
    problem = kind or name_problem(name)
    stream = tar.extractfile(member) if problem is None else None
    return OutputFile(
        name=printable(name),
        size=member.size,
        problem=problem,
        stream=cast(BinaryIO, _Content(stream) if stream is not None else io.BytesIO()),
    )


def name_problem(name: str) -> str | None:
    parts = name.split("/")
    if printable(name) != name:
        return "a name with control characters or invalid UTF-8"
    if any(part in ("", ".", "..") for part in parts):
        return "a name that leads out of the output directory"
    if len(parts) > DEPTH or any(len(part.encode()) > NAME_BYTES for part in parts):
        return "a name that is too long"
    return None


def printable(name: str) -> str:
    """Without control characters, halves of surrogate pairs and the like, and not endlessly long."""
    clean = "".join(
        "\N{REPLACEMENT CHARACTER}" if _is_control(character) else character for character in name
    )
    return clean if len(clean) <= 4096 else clean[:4095] + "…"


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


class _Content(io.RawIOBase):
    """A file of the archive, whose errors are those of this package wherever it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        with _reading():
            return self._file.read(size)

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        content = self.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)


class _Chunks(io.RawIOBase):
    """The engine's chunks as a file, of which only so many bytes are read."""

    def __init__(self, chunks: Iterator[bytes], budget: int) -> None:
        self._chunks = chunks
        self._rest = b""
        self._budget = budget

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        parts: list[bytes] = []
        while size > 0:
            if not self._rest:
                with engine_call("read the output"):
                    self._rest = next(self._chunks, b"")
                self._budget -= len(self._rest)
            if not self._rest:
                break
            if self._budget < 0:
                raise SystemFailure("The output directory exceeds its size limit.")
            parts.append(self._rest[:size])
            self._rest = self._rest[size:]
            size -= len(parts[-1])
        return b"".join(parts)
