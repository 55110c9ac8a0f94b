"""Decompression of untrusted images: the class with which the evaluator unpacks archives of outputs.

The evaluator is placed beside this package in the repository, and around it in the wheel.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = ["DecompressedFile", "Decompressor", "GzipDecompressor", "Readable", "TooManyStreams"]

if TYPE_CHECKING:
    from evaluation.archives.decompress import (
        DecompressedFile,
        Decompressor,
        GzipDecompressor,
        Readable,
        TooManyStreams,
    )
else:
    evaluator = __package__.rpartition(".")[0] or "evaluation"
    decompress = import_module(f"{evaluator}.archives.decompress")
    DecompressedFile = decompress.DecompressedFile
    Decompressor = decompress.Decompressor
    GzipDecompressor = decompress.GzipDecompressor
    Readable = decompress.Readable
    TooManyStreams = decompress.TooManyStreams
