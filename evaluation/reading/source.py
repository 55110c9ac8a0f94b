"""From a path, bytes, or an open file to the bytes of a CoNLL-U file, within limits.

Compressed files (.gz, .xz, .bz2, told by their first bytes) are opened on the way. The limits are checked on
the stream: a bomb or an endless line is refused before memory is spent on it.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from .incidents import Incident, InvalidFile, Report

Source = str | os.PathLike[str] | bytes | IO[bytes]

_STEP = 1 << 22
_PACKED_STEP = 1 << 13
# What `xz -9` needs to be opened, and more; a file may ask for gigabytes in its first bytes.
_XZ_MEMORY = 1 << 27


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a file may cost. The defaults allow ten million words and no nonsense."""

    max_bytes: int = 2_000_000_000
    max_line_bytes: int = 16_000_000
    max_sentence_words: int = 2_000_000
    max_incidents_per_kind: int = 100


def name_of(source: Source, name: str | None) -> str:
    """How messages call the file."""
    if name is not None:
        return name
    if isinstance(source, bytes):
        return "<bytes>"
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if str(source) == "-" else printable(Path(source).name)
    return str(getattr(source, "name", "<file>"))


def printable(path: str) -> str:
    """A path as text that can be printed, even where the bytes of its name are no text."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def load(source: Source, *, name: str, limits: Limits) -> bytearray:
    """The whole file, decompressed. Raises InvalidFile when it cannot be read or is beyond the limits."""
    try:
        if isinstance(source, bytes):
            return _within(io.BytesIO(source), name, limits)
        if isinstance(source, str | os.PathLike):
            if str(source) == "-":
                return _within(sys.stdin.buffer, name, limits)
            with open(source, "rb") as opened:
                return _within(opened, name, limits)
        return _within(source, name, limits)
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _refused(
            name, "unreadable-file", f"“{reason or type(error).__name__}”", "a readable file"
        ) from error


def _within(stream: IO[bytes], name: str, limits: Limits) -> bytearray:
    beginning = stream.read(6)
    for magic, opener in _OPENERS.items():
        if beginning.startswith(magic):
            with opener(_Joined(beginning, stream)) as opened:
                return _read_all(b"", opened, name, limits)
    return _read_all(beginning, stream, name, limits)


def _read_all(beginning: bytes, stream: IO[bytes], name: str, limits: Limits) -> bytearray:
    data = bytearray(beginning)
    line_start = 0
    # Most files come in one piece; no piece is much larger than what may be kept of it.
    step = max(_STEP >> 6, min(_STEP, limits.max_line_bytes, limits.max_bytes))
    while True:
        before = max(line_start, len(data) - step)
        # Only line ends matter here, and a lone carriage return is one too.
        line_start = max(line_start, data.rfind(b"\n", before) + 1, data.rfind(b"\r", before) + 1)
        if len(data) > limits.max_bytes:
            limit = f"{limits.max_bytes:,} bytes"
            raise _refused(name, "file-too-large", f"more than {limit}", f"at most {limit}")
        if len(data) - line_start > limits.max_line_bytes:
            wanted = f"at most {limits.max_line_bytes:,} bytes"
            line = 1 + data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
            raise _refused(name, "line-too-long", f"{len(data) - line_start:,} bytes or more", wanted, line)
        piece = stream.read(min(step, limits.max_bytes - len(data) + 1))
        if not piece:
            return data
        data += piece


def _refused(name: str, id: str, found: str, expected: str, line: int | None = None) -> InvalidFile:
    incident = Incident(id, line, None, found, expected)
    return InvalidFile(Report(name, (incident,), {id: 1}))


class _Joined(io.RawIOBase):
    """A stream with the bytes that were read from it to recognise its kind put back."""

    def __init__(self, beginning: bytes, stream: IO[bytes]) -> None:
        self._beginning = beginning
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if self._beginning:
            given, self._beginning = self._beginning[: len(buffer)], self._beginning[len(buffer) :]
        else:
            given = self._stream.read(len(buffer))
        buffer[: len(given)] = given
        return len(given)


class _Xz(io.RawIOBase):
    """What an .xz file holds, unpacked in bounded memory, which `lzma.LZMAFile` does not offer."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._unpacker = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        given = b""
        while not given:
            packed = b""
            if self._unpacker.eof:
                # Files may be joined end to end.
                packed = self._unpacker.unused_data or self._stream.read(_PACKED_STEP)
                if not packed:
                    return 0
                self._unpacker = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
            elif self._unpacker.needs_input:
                packed = self._stream.read(_PACKED_STEP)
                if not packed:
                    raise EOFError("The compressed file is truncated")
            given = self._unpacker.decompress(packed, len(buffer))
        buffer[: len(given)] = given
        return len(given)


# How a compressed file is known by its first bytes, and what opens it.
_OPENERS: dict[bytes, Callable[[Any], IO[bytes]]] = {
    b"\x1f\x8b": lambda stream: cast(IO[bytes], gzip.GzipFile(fileobj=stream)),
    b"\xfd7zXZ\x00": lambda stream: cast(IO[bytes], _Xz(stream)),
    b"BZh": bz2.BZ2File,
}
