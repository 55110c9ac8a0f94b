"""Decompression of untrusted gzip and zstd data, piece by piece, in bounded memory and up to a bounded size.

In: bytes of any kind. Out: `read(size)`, which returns at most so many unpacked bytes, and none at the end.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Protocol

from backports import zstd

from .limits import MEBIBYTE, ImageLimits
from .refusal import ImageRefused

INPUT_BYTES = 256 * 1024
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
SKIPPABLE = b"\x2a\x4d\x18"
"""After a byte from 0x50 to 0x5f: a part of zstd data that contains nothing."""
OTHERS = {b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip"}
LONGEST_MAGIC = 6
ZSTD_WINDOW_BITS = 25
"""32 MiB of memory; zstd takes more only with --ultra or --long."""
MAX_STREAMS = 1_000_000
"""Of which compressed data may consist; some programs begin a new one with every file."""
FREE_BYTES = 16 * MEBIBYTE
"""The ratio is checked only beyond this size: a small layer of zeros is not a bomb."""


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Decompressor(Protocol):
    """What `zstd.ZstdDecompressor` offers."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class GzipDecompressor:
    """The decompressor of `zlib`, with the same methods as that of `zstd`."""

    def __init__(self) -> None:
        self.stream = zlib.decompressobj(16 + zlib.MAX_WBITS)

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


def new_zstd_decompressor() -> Decompressor:
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW_BITS})


def decompressor_for(beginning: bytes, where: str) -> Callable[[], Decompressor] | None:
    """By the first bytes: what unpacks the data, or None if they are not compressed."""
    for magic, name in OTHERS.items():
        if beginning.startswith(magic):
            raise ImageRefused(
                "compression-unknown",
                f"The format of {where} is {name}, which is not supported.",
                "Upload the archive as “docker save” writes it, or compress it with gzip or zstd.",
            )
    if beginning.startswith(GZIP):
        return GzipDecompressor
    is_skippable = beginning[1:4] == SKIPPABLE and beginning[0] >> 4 == 5
    return new_zstd_decompressor if beginning.startswith(ZSTD) or is_skippable else None


class Unpacked:
    """The unpacked bytes of compressed data, within the limits on their number and on the ratio."""

    def __init__(
        self,
        source: Readable,
        new_decompressor: Callable[[], Decompressor],
        *,
        limits: ImageLimits,
        where: str,
    ) -> None:
        self.source = source
        self.new_decompressor = new_decompressor
        self.decompressor = new_decompressor()
        self.limits = limits
        self.where = where
        self.streams = 1
        self.bytes_in = self.bytes_out = 0
        self.following = b""
        """Input that belongs to the stream that has just begun."""

    def read(self, size: int, /) -> bytes:
        try:
            data = self.unpack(size)
        except (zlib.error, zstd.ZstdError) as error:
            raise ImageRefused(
                "compression-damaged",
                f"The compressed data of {self.where} are damaged: {error}.",
                "Upload it again; zstd must be used without --ultra and --long.",
            ) from error
        self.bytes_out += len(data)
        self.check_limits()
        return data

    def unpack(self, size: int) -> bytes:
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
                raise truncated(self.where)
        return b""

    def fetch(self) -> bytes:
        packed = self.source.read(INPUT_BYTES)
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
        if self.streams > MAX_STREAMS:
            raise ImageRefused(
                "compression-streams", f"The compressed data of {self.where} consist of too many streams."
            )
        self.decompressor, self.following = self.new_decompressor(), following
        return True

    def check_limits(self) -> None:
        if self.bytes_out > self.limits.uncompressed_bytes:
            raise too_large(self.where, self.limits)
        if self.bytes_out > max(FREE_BYTES, self.limits.ratio * self.bytes_in):
            raise ImageRefused(
                "ratio-exceeded",
                f"Unpacked, {self.where} has more than {self.limits.ratio} times its compressed size.",
                "Remove large empty files from the image.",
            )


def truncated(where: str) -> ImageRefused:
    return ImageRefused(
        "truncated",
        f"The end of {where} is missing.",
        "Compare the size of the file with that of the upload, and upload it again.",
    )


def too_large(where: str, limits: ImageLimits) -> ImageRefused:
    return ImageRefused(
        "too-large-unpacked",
        f"Unpacked, {where} is larger than the limit of {limits.uncompressed_bytes:,} bytes.",
        "Remove from the image what the system does not need, such as caches and build tools.",
    )
