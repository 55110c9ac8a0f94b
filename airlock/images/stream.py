"""Bytes that are parsed while they are hashed and copied.

A `Stream` reads large blocks and passes each to its listeners, so that parsing costs only slices of them. A
`SeekableStream` does the same over a file without reading what is skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import IO

from ..decompression import Readable
from .compression import truncated
from .limits import MEBIBYTE

BLOCK_BYTES = MEBIBYTE


class Region:
    """A part of a file, read forwards."""

    def __init__(self, file: IO[bytes], offset: int, size: int) -> None:
        self.file = file
        self.left = size
        file.seek(offset)

    def read(self, size: int, /) -> bytes:
        data = self.file.read(min(size, self.left))
        self.left -= len(data)
        return data


class Observed:
    """A source whose bytes go to a listener, too."""

    def __init__(self, source: Readable, listener: Callable[[bytes], object]) -> None:
        self.source = source
        self.listener = listener

    def read(self, size: int, /) -> bytes:
        data = self.source.read(size)
        self.listener(data)
        return data


class Stream:
    def __init__(self, source: Readable, where: str) -> None:
        self.source = source
        self.where = where
        self.block = b""
        self.start = 0
        """Of what has not been taken from the block."""
        self.bytes_before = 0
        """Of all blocks before this one."""

    @property
    def position(self) -> int:
        return self.bytes_before + self.start

    def refill(self) -> bool:
        """Only when the block has been taken completely. Out: whether there is another one."""
        self.bytes_before += len(self.block)
        self.block, self.start = self.source.read(BLOCK_BYTES), 0
        return bool(self.block)

    def take(self, size: int) -> bytes:
        """The next bytes; for sizes that may be held in memory."""
        end = self.start + size
        if end <= len(self.block):
            data = self.block[self.start : end]
            self.start = end
            return data
        pieces = [self.block[self.start :]]
        missing = size - len(pieces[0])
        self.start = len(self.block)
        while missing:
            if not self.refill():
                raise truncated(self.where)
            pieces.append(self.block[:missing])
            self.start = len(pieces[-1])
            missing -= self.start
        return b"".join(pieces)

    def skip(self, size: int) -> None:
        while size > (left := len(self.block) - self.start):
            size -= left
            self.start = len(self.block)
            if not self.refill():
                raise truncated(self.where)
        self.start += size

    def is_zero_to_the_end(self) -> bool:
        """Reads everything that is left."""
        is_zero = True
        while True:
            rest = self.block[self.start :] if self.start else self.block
            is_zero = is_zero and rest.count(0) == len(rest)
            self.start = len(self.block)
            if not self.refill():
                return is_zero


class SeekableStream:
    def __init__(self, file: IO[bytes], size: int, where: str) -> None:
        self.file = file
        self.size = size
        self.where = where
        self.position = 0

    def take(self, size: int) -> bytes:
        self.skip(size)
        self.file.seek(self.position - size)
        return self.file.read(size)

    def skip(self, size: int) -> None:
        if self.position + size > self.size:
            raise truncated(self.where)
        self.position += size

    def is_zero_to_the_end(self) -> bool:
        self.file.seek(self.position)
        while data := self.file.read(BLOCK_BYTES):
            if data.count(0) != len(data):
                return False
        return True
