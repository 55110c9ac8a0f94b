"""From a path, bytes, or an open file to the bytes of a CoNLL-U file, within limits.

Compressed files (.gz, .xz, .bz2, recognised by their first bytes) are decompressed. The limits are checked on
the stream, so that a decompression bomb or an endless line is rejected before it uses memory.
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
from typing import IO, Any, cast

from .incidents import Incident, InvalidFile, Report

Source = str | os.PathLike[str] | bytes | IO[bytes]

_STEP = 1 << 22
_PACKED_STEP = 1 << 13
# More than `xz -9` needs; the header of a file may request gigabytes.
_XZ_MEMORY = 1 << 27


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on the size of a file. The defaults allow ten million words."""

    max_bytes: int = 2_000_000_000
    max_line_bytes: int = 16_000_000
    max_sentence_words: int = 2_000_000
    max_incidents_per_kind: int = 100


def source_name(source: Source, name: str | None) -> str:
    """The name of the file in messages."""
    if name is not None:
        return name
    if isinstance(source, bytes):
        return "<bytes>"
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if str(source) == "-" else printable(os.path.basename(source))
    return str(getattr(source, "name", "<file>"))


def printable(path: str) -> str:
    """A path as printable text, even if the bytes of its name are not valid UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def load(source: Source, *, name: str, limits: Limits) -> bytearray:
    """The whole file, decompressed. Raises InvalidFile if it cannot be read or exceeds the limits."""
    try:
        if isinstance(source, bytes):
            return _decompress_and_read(io.BytesIO(source), name, limits)
        if isinstance(source, str | os.PathLike):
            if str(source) == "-":
                return _decompress_and_read(sys.stdin.buffer, name, limits)
            with open(source, "rb") as file:
                return _decompress_and_read(file, name, limits)
        return _decompress_and_read(source, name, limits)
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _invalid_file(
            name, "unreadable-file", f"“{reason or type(error).__name__}”", "a readable file"
        ) from error


def _decompress_and_read(stream: IO[bytes], name: str, limits: Limits) -> bytearray:
    beginning = stream.read(6)
    for magic, opener in _OPENERS.items():
        if beginning.startswith(magic):
            with opener(_PrefixedStream(beginning, stream)) as opened:
                return _read_all(b"", opened, name, limits)
    return _read_all(beginning, stream, name, limits)


def _read_all(beginning: bytes, stream: IO[bytes], name: str, limits: Limits) -> bytearray:
    data = bytearray(beginning)
    line_start = 0
    # Most files are read in one step; no step reads much more than the limits allow.
    step = max(_STEP >> 6, min(_STEP, limits.max_line_bytes, limits.max_bytes))
    while True:
        before = max(line_start, len(data) - step)
        # Only line ends matter here, and a lone carriage return is one too.
        line_start = max(line_start, data.rfind(b"\n", before) + 1, data.rfind(b"\r", before) + 1)
        if len(data) > limits.max_bytes:
            limit = f"{limits.max_bytes:,} bytes"
            raise _invalid_file(name, "file-too-large", f"more than {limit}", f"at most {limit}")
        if len(data) - line_start > limits.max_line_bytes:
            expected = f"at most {limits.max_line_bytes:,} bytes"
            line = 1 + data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
            raise _invalid_file(
                name, "line-too-long", f"{len(data) - line_start:,} bytes or more", expected, line
            )
        piece = stream.read(min(step, limits.max_bytes - len(data) + 1))
        if not piece:
            return data
        data += piece


def _invalid_file(name: str, id: str, found: str, expected: str, line: int | None = None) -> InvalidFile:
    incident = Incident(id, line, None, found, expected)
    return InvalidFile(Report(name, (incident,), {id: 1}))


class _PrefixedStream(io.RawIOBase):
    """A stream together with the first bytes that were already read from it."""

    def __init__(self, beginning: bytes, stream: IO[bytes]) -> None:
        self._beginning = beginning
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if self._beginning:
            data, self._beginning = self._beginning[: len(buffer)], self._beginning[len(buffer) :]
        else:
            data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class _XzStream(io.RawIOBase):
    """The content of an .xz file, decompressed in bounded memory, which `lzma.LZMAFile` does not offer."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._unpacker = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = b""
        while not data:
            packed = b""
            if self._unpacker.eof:
                # An .xz file may consist of several concatenated streams.
                packed = self._unpacker.unused_data or self._stream.read(_PACKED_STEP)
                if not packed:
                    return 0
                self._unpacker = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
            elif self._unpacker.needs_input:
                packed = self._stream.read(_PACKED_STEP)
                if not packed:
                    raise EOFError("The compressed file is truncated")
            data = self._unpacker.decompress(packed, len(buffer))
        buffer[: len(data)] = data
        return len(data)


# The first bytes of compressed files, and how to open them.
_OPENERS: dict[bytes, Callable[[Any], IO[bytes]]] = {
    b"\x1f\x8b": lambda stream: cast(IO[bytes], gzip.GzipFile(fileobj=stream)),
    b"\xfd7zXZ\x00": lambda stream: cast(IO[bytes], _XzStream(stream)),
    b"BZh": bz2.BZ2File,
}
