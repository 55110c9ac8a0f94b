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

from evaluation.incidents import Incident, InvalidFile, Report

Source = str | os.PathLike[str] | bytes | IO[bytes]

_STEP = 1 << 20
# How a compressed file is known by its first bytes, and what opens it.
_OPENERS: dict[bytes, Callable[[Any], IO[bytes]]] = {
    b"\x1f\x8b": lambda stream: cast(IO[bytes], gzip.GzipFile(fileobj=stream)),
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"BZh": bz2.BZ2File,
}


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
        return "<stdin>" if str(source) == "-" else Path(source).name
    return str(getattr(source, "name", "<file>"))


def load(source: Source, *, name: str, limits: Limits) -> bytes:
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
        raise _refused(name, "unreadable-file", reason or type(error).__name__, "a readable file") from error


def _within(stream: IO[bytes], name: str, limits: Limits) -> bytes:
    beginning = stream.read(6)
    for magic, opener in _OPENERS.items():
        if beginning.startswith(magic):
            rest = _Joined(beginning, stream)
            with opener(rest) as opened:
                return _read_all(b"", opened, name, limits)
    return _read_all(beginning, stream, name, limits)


def _read_all(beginning: bytes, stream: IO[bytes], name: str, limits: Limits) -> bytes:
    parts = [beginning]
    total = len(beginning)
    open_line = len(beginning) - (beginning.rfind(b"\n") + 1)
    while piece := stream.read(_STEP):
        parts.append(piece)
        total += len(piece)
        if total > limits.max_bytes:
            raise _refused(name, "file-too-large", "more", f"at most {limits.max_bytes:,} bytes")
        # Only line ends matter here, and a lone carriage return is one too.
        end = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
        open_line = open_line + len(piece) if end < 0 else len(piece) - end - 1
        if open_line > limits.max_line_bytes:
            wanted = f"at most {limits.max_line_bytes:,} bytes"
            line_number = 1 + sum(part.count(b"\n") for part in parts)
            raise _refused(name, "line-too-long", f"more than {open_line:,} bytes", wanted, line_number)
    if total > limits.max_bytes:
        raise _refused(name, "file-too-large", f"{total:,} bytes", f"at most {limits.max_bytes:,} bytes")
    return b"".join(parts)


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
