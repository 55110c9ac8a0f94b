"""Decompression of untrusted gzip and zstd data, piece by piece, in bounded memory and up to a bounded size.

In: bytes of any kind. Out: `read(size)`, which returns at most so many unpacked bytes, and none at the end.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

from backports import zstd

from ..decompression import DecompressedFile, Decompressor, GzipDecompressor, Readable, TooManyStreams
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
        self.content = DecompressedFile(
            source, new_decompressor, input_bytes=INPUT_BYTES, max_streams=MAX_STREAMS
        )
        self.limits = limits
        self.where = where
        self.bytes_out = 0

    def read(self, size: int, /) -> bytes:
        try:
            data = self.content.read(size)
        except EOFError as error:
            raise truncated(self.where) from error
        except TooManyStreams as error:
            message = f"The compressed data of {self.where} consist of too many streams."
            raise ImageRefused("compression-streams", message) from error
        except (zlib.error, zstd.ZstdError) as error:
            raise ImageRefused(
                "compression-damaged",
                f"The compressed data of {self.where} are damaged: {error}.",
                "Upload it again; zstd must be used without --ultra and --long.",
            ) from error
        self.bytes_out += len(data)
        self.check_limits()
        return data

    def check_limits(self) -> None:
        if self.bytes_out > self.limits.uncompressed_bytes:
            raise too_large(self.where, self.limits)
        if self.bytes_out > max(FREE_BYTES, self.limits.ratio * self.content.bytes_in):
            raise ImageRefused(
                "ratio-exceeded",
                f"Unpacked, {self.where} is more than {self.limits.ratio} times its compressed size.",
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
