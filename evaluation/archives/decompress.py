"""Decompression of untrusted gzip and xz files, piece by piece and in bounded memory.

In: a file. Out: `read(size)`, which returns at most so many bytes, and none at the end. The file objects of
the standard library are not used: that of gzip reads a hostile header byte by byte, for the length of the
upload, and that of xz allocates four gigabytes for a hostile header.
"""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable
from typing import Protocol

from .source import Unreasonable

INPUT_BYTES = 16 * 1024
XZ_MEMORY_BYTES = 256 * 1024 * 1024
GZIP_FORMAT = 16 + zlib.MAX_WBITS
MAX_STREAMS = 100_000
"""A file may consist of several streams; some programs begin a new one every 64 KiB."""


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Decompressor(Protocol):
    """What `lzma.LZMADecompressor` offers."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class GzipDecompressor:
    """The decompressor of `zlib`, with the same methods as that of `lzma`."""

    def __init__(self) -> None:
        self.stream = zlib.decompressobj(GZIP_FORMAT)

    @property
    def eof(self) -> bool:
        return self.stream.eof

    @property
    def needs_input(self) -> bool:
        return not self.stream.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self.stream.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self.stream.decompress(self.stream.unconsumed_tail + data, max_length)


def gzip_reader(file: Readable) -> PackedFile:
    return PackedFile(file, GzipDecompressor)


def xz_reader(file: Readable) -> PackedFile:
    return PackedFile(file, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY_BYTES))


class PackedFile:
    def __init__(self, file: Readable, new_decompressor: Callable[[], Decompressor]) -> None:
        self.file = file
        self.new_decompressor = new_decompressor
        self.decompressor = new_decompressor()
        self.following = b""
        """Input that belongs to the stream that has just begun."""
        self.streams = 1

    def read(self, size: int, /) -> bytes:
        while not self.decompressor.eof or self.begins_another_stream():
            packed, self.following = self.following, b""
            is_last = False
            if not packed and self.decompressor.needs_input:
                packed = self.file.read(INPUT_BYTES)
                is_last = not packed
            data = self.decompressor.decompress(packed, size)
            if data:
                return data
            if is_last and not self.decompressor.eof:
                raise EOFError
        return b""

    def begins_another_stream(self) -> bool:
        """Zeros between streams and after the last one mean nothing."""
        following = self.decompressor.unused_data.lstrip(b"\0")
        while not following:
            chunk = self.file.read(INPUT_BYTES)
            if not chunk:
                return False
            following = chunk.lstrip(b"\0")
        self.streams += 1
        if self.streams > MAX_STREAMS:
            raise Unreasonable("it consists of too many separately compressed streams")
        self.decompressor, self.following = self.new_decompressor(), following
        return True
