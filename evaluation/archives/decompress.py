"""Decompression of untrusted archives and images, piece by piece and in bounded memory.

In: a file and a new decompressor for each stream of which it consists. Out: `read(size)`, which returns at
most so many bytes, and none at the end. The file objects of the standard library are not used: that of gzip
reads a hostile header byte by byte, for the length of the upload, and that of xz allocates four gigabytes for
a hostile header. The airlock unpacks images with the same class.
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


class TooManyStreams(Unreasonable):
    pass


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Decompressor(Protocol):
    """What `lzma.LZMADecompressor` and `zstd.ZstdDecompressor` offer."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class GzipDecompressor:
    """The decompressor of `zlib`, with the same methods as the others."""

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


def gzip_reader(file: Readable) -> DecompressedFile:
    return DecompressedFile(file, GzipDecompressor, input_bytes=INPUT_BYTES, max_streams=MAX_STREAMS)


def xz_reader(file: Readable) -> DecompressedFile:
    def new_decompressor() -> Decompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY_BYTES)

    return DecompressedFile(file, new_decompressor, input_bytes=INPUT_BYTES, max_streams=MAX_STREAMS)


class DecompressedFile:
    """Raises EOFError where the end is missing, and whatever the decompressor raises for damaged data."""

    def __init__(
        self,
        file: Readable,
        new_decompressor: Callable[[], Decompressor],
        *,
        input_bytes: int,
        max_streams: int,
    ) -> None:
        self.file = file
        self.new_decompressor = new_decompressor
        self.decompressor = new_decompressor()
        self.input_bytes = input_bytes
        self.max_streams = max_streams
        self.streams = 1
        self.bytes_in = 0
        self.following = b""
        """Input that belongs to the stream that has just begun."""

    def read(self, size: int, /) -> bytes:
        while not self.decompressor.eof or self.begins_another_stream():
            packed, self.following = self.following, b""
            is_last = False
            if not packed and self.decompressor.needs_input:
                packed = self.fetch()
                is_last = not packed
            data = self.decompressor.decompress(packed, size)
            if data:
                return data
            if is_last and not self.decompressor.eof:
                raise EOFError
        return b""

    def fetch(self) -> bytes:
        packed = self.file.read(self.input_bytes)
        self.bytes_in += len(packed)
        return packed

    def begins_another_stream(self) -> bool:
        """Zeros between streams and after the last one mean nothing."""
        following = self.decompressor.unused_data.lstrip(b"\0")
        while not following:
            packed = self.fetch()
            if not packed:
                return False
            following = packed.lstrip(b"\0")
        self.streams += 1
        if self.streams > self.max_streams:
            raise TooManyStreams("it consists of too many separately compressed streams")
        self.decompressor, self.following = self.new_decompressor(), following
        return True
