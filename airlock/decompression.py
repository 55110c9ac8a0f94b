"""Decompression of untrusted images, by the class with which the evaluator unpacks archives of outputs.

The evaluator is beside this package in the repository and around it in the wheel, so that no import statement
reaches it from both. What the airlock needs of it is described here.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Decompressor(Protocol):
    """What decompresses one stream."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class Decompressed(Readable, Protocol):
    @property
    def bytes_in(self) -> int: ...


EVALUATOR = (__package__ or "").rpartition(".")[0] or "evaluation"
_decompress: Any = import_module(f"{EVALUATOR}.archives.decompress")
DecompressedFile: Callable[..., Decompressed] = _decompress.DecompressedFile
GzipDecompressor: Callable[[], Decompressor] = _decompress.GzipDecompressor
TooManyStreams: type[Exception] = _decompress.TooManyStreams
