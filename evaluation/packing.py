"""The one stored form of arrays: named arrays and lists of strings as bytes, and back.

In: arrays of any shape and lists of strings, and the name of the format. Out: bytes. They begin with the name
of the format, then comes the length of the body, then the compressed body: a line of JSON that describes the
arrays, and their contents. What is written and read often is not compressed: then the length is 0, and a
checksum comes before the body. `unpack` executes nothing, and raises ValueError for anything that `pack` did
not write.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

Buffer = bytes | memoryview
_TYPES = ("|b1", "|u1", "<u2", "<u4", "|i1", "<i2", "<i4", "<i8", "<f4", "<f8")
_NARROWEST_FIRST = ("|u1", "<u2", "<u4", "<i8")
_LENGTH_BYTES = 8
_CHECKSUM_BYTES = 4
# No test set comes near this: it only keeps a damaged length from filling the memory.
_LARGEST = 1 << 31


class Packed:
    """A dataclass of arrays and lists of strings that can be stored as bytes.

    Its 64-bit integers are numbers and positions of things, never negative: they are stored, and later kept
    in memory, in the smallest type that holds them. All other arrays keep their type.
    """

    FORMAT: ClassVar[str]
    """What it is and a number, to be raised whenever the fields or their meaning change."""
    IS_COMPRESSED: ClassVar[bool] = True

    def to_bytes(self) -> bytes:
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        arrays = {
            name: _narrow_if_wide(value) for name, value in values.items() if isinstance(value, np.ndarray)
        }
        strings = {name: value for name, value in values.items() if name not in arrays}
        return pack(self.FORMAT, arrays, strings, compress=self.IS_COMPRESSED)

    @classmethod
    def from_bytes(cls, stored: Buffer) -> Self:
        arrays, strings = unpack(cls.FORMAT, stored)
        try:
            return cls(**arrays, **strings)
        except TypeError as error:
            raise ValueError(f"damaged {cls.FORMAT}: {error}") from error


def narrow(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers, none of them negative, in the smallest type that holds them."""
    largest = int(array.max(initial=0))
    return array.astype(next(kind for kind in _NARROWEST_FIRST if largest <= np.iinfo(kind).max))


def _narrow_if_wide(array: NDArray[Any]) -> NDArray[Any]:
    return narrow(array) if array.dtype.kind in "iu" and array.dtype.itemsize == 8 else array


def pack(
    format: str,
    arrays: Mapping[str, NDArray[Any]],
    strings: Mapping[str, Sequence[str]],
    *,
    compress: bool = True,
) -> bytes:
    """Every array keeps its type and its shape."""
    contents = {
        name: np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        for name, array in arrays.items()
    }
    described = [[name, array.dtype.str, array.shape] for name, array in contents.items()]
    header = json.dumps({"arrays": described, "strings": strings}, ensure_ascii=False).encode()
    parts: list[Any] = [header, b"\n"]
    parts += [array.reshape(-1).view(np.uint8) for array in contents.values()]
    size = sum(map(len, parts))
    if compress:
        return (
            _first_line(format) + size.to_bytes(_LENGTH_BYTES, "little") + zlib.compress(b"".join(parts), 6)
        )
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    begin = [_first_line(format), bytes(_LENGTH_BYTES), checksum.to_bytes(_CHECKSUM_BYTES, "little")]
    return b"".join((*begin, *parts))


def unpack(format: str, stored: Buffer) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arrays, which are read-only, and the lists of strings, both by name."""
    try:
        if bytes(stored[: len(_first_line(format))]) != _first_line(format):
            raise ValueError("not in this format, or in another version of it")
        return _read(_decompress(memoryview(stored)[len(_first_line(format)) :]))
    except (zlib.error, AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"damaged {format}: {error}") from error


def _first_line(format: str) -> bytes:
    return f"arboretum {format}\n".encode()


def _decompress(stored: memoryview) -> bytes | memoryview:
    size = int.from_bytes(stored[:_LENGTH_BYTES], "little")
    if not size:
        body = stored[_LENGTH_BYTES + _CHECKSUM_BYTES :]
        if stored[_LENGTH_BYTES:][:_CHECKSUM_BYTES] != zlib.crc32(body).to_bytes(_CHECKSUM_BYTES, "little"):
            raise ValueError("the checksum is wrong")
        return body
    decompressor = zlib.decompressobj()
    content = decompressor.decompress(stored[_LENGTH_BYTES:], min(size, _LARGEST) + 1)
    if len(content) != size or not decompressor.eof or decompressor.unused_data:
        raise ValueError("truncated, or longer than declared")
    return content


def _read(body: bytes | memoryview) -> tuple[dict[str, Any], dict[str, Any]]:
    begin = _end_of_line(body)
    header = json.loads(bytes(body[:begin]))
    arrays = {}
    for name, kind, shape in header["arrays"]:
        if kind not in _TYPES:
            raise ValueError(f"unknown type {kind!r}")
        count = math.prod(shape)
        if min(shape, default=0) < 0:
            raise ValueError(f"impossible shape {shape}")
        arrays[name] = np.frombuffer(body, dtype=kind, count=count, offset=begin).reshape(shape)
        begin += count * np.dtype(kind).itemsize
    if begin != len(body):
        raise ValueError("more data than declared")
    return arrays, dict(header["strings"])


def _end_of_line(body: bytes | memoryview) -> int:
    """After the first line, which is found without a copy of what may be a large array."""
    for size in (1 << 16, len(body)):
        end = bytes(body[:size]).find(b"\n") + 1
        if end:
            return end
    raise ValueError("no description")
