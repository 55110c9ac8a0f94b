"""Decompression of untrusted gzip and xz archives, in bounded memory (`airlock/decompression.py`)."""

from __future__ import annotations

import lzma
from collections.abc import Callable

from airlock.decompression import (
    DecompressedFile,
    Decompressor,
    GzipDecompressor,
    Readable,
    TooManyStreams,
)
from sharedtask.core.unpacking.source import Unreasonable

INPUT_BYTES = 16 * 1024
XZ_MEMORY_BYTES = 256 * 1024 * 1024
MAX_STREAMS = 100_000
"""A file may consist of several streams; some programs begin a new one every 64 KiB."""


def gzip_reader(file: Readable) -> PackedFile:
    return PackedFile(file, GzipDecompressor)


def xz_reader(file: Readable) -> PackedFile:
    return PackedFile(file, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY_BYTES))


class PackedFile:
    def __init__(self, file: Readable, new_decompressor: Callable[[], Decompressor]) -> None:
        self.content = DecompressedFile(
            file, new_decompressor, input_bytes=INPUT_BYTES, max_streams=MAX_STREAMS
        )

    def read(self, size: int, /) -> bytes:
        try:
            return self.content.read(size)
        except TooManyStreams as error:
            raise Unreasonable("it consists of too many separately compressed streams") from error
