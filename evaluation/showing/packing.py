"""Arrays of integers and lists of words as bytes to store, and back. Nothing in the bytes is ever executed.

In: named arrays and named lists of strings. Out: bytes, compressed, each array in the narrowest type that
holds it; `unpack` raises ValueError for anything that `pack` did not write.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Self

import numpy as np

from ..reading.fields import Ints

_TYPES = ("<u1", "<u2", "<u4", "<i8")
# No test set comes near this: it only keeps a damaged length from filling the memory.
_LARGEST = 1 << 31


class Stored:
    """Bytes from a dataclass of arrays and lists of words, and back."""

    def to_bytes(self) -> bytes:
        values = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
        return pack(arrays, {name: value for name, value in values.items() if name not in arrays})

    @classmethod
    def from_bytes(cls, stored: bytes) -> Self:
        arrays, words = unpack(stored)
        given: dict[str, Any] = {**arrays, **words}
        try:
            return cls(**given)
        except TypeError as error:
            raise ValueError(f"damaged: {error}") from error


def pack(arrays: Mapping[str, Ints], words: Mapping[str, Sequence[str]]) -> bytes:
    """The arrays hold no negative numbers."""
    shapes, raw = [], []
    for name, array in arrays.items():
        widest = int(array.max(initial=0))
        kind = next(kind for kind in _TYPES if widest <= np.iinfo(kind).max)
        shapes.append([name, kind, len(array)])
        raw.append(array.astype(kind).tobytes())
    header = json.dumps({"arrays": shapes, "words": words}, ensure_ascii=False).encode()
    body = len(header).to_bytes(8, "little") + header + b"".join(raw)
    return len(body).to_bytes(8, "little") + zlib.compress(body, 6)


def unpack(stored: bytes) -> tuple[dict[str, Ints], dict[str, list[str]]]:
    try:
        size = int.from_bytes(stored[:8], "little")
        unpacked = zlib.decompressobj()
        body = unpacked.decompress(stored[8:], min(size, _LARGEST) + 1)
        if len(body) != size or not unpacked.eof:
            raise ValueError("cut off, or longer than it says")
        at = 8 + int.from_bytes(body[:8], "little")
        header = json.loads(body[8:at])
        arrays = {}
        for name, kind, length in header["arrays"]:
            if kind not in _TYPES:
                raise ValueError(f"unknown type {kind!r}")
            # Kept in the narrow type: many of these are held in memory at the same time.
            arrays[name] = np.frombuffer(body, dtype=kind, count=length, offset=at)
            at += length * np.dtype(kind).itemsize
    except (zlib.error, KeyError, TypeError, UnicodeDecodeError, ValueError) as error:
        raise ValueError(f"damaged: {error}") from error
    return arrays, header["words"]
