"""Fields of a file as (start, length) pairs over its bytes, compared without creating strings.

A buffer is an array of bytes followed by zeros, so that several integers can be loaded at any position. Every
function works on all rows at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Words = NDArray[np.uint64]
# Positions take half the memory in files below two gigabytes.
Positions = NDArray[np.signedinteger[Any]]

# The number of eight-byte integers compared at a time; the padding of a buffer has room for them.
WIDE = 4
PADDING = 8 * WIDE

# Indexed by length: masks of the bytes of an eight-byte integer that belong to a field.
LENGTH_MASKS = np.array([(1 << (8 * n)) - 1 for n in range(8)] + [2**64 - 1], dtype=np.uint64)
WIDE_LENGTH_MASKS = {
    width: np.where(
        np.arange(8 * width) < np.arange(8 * width + 1)[:, None], np.uint8(255), np.uint8(0)
    ).view("<u8")
    for width in (1, 2, WIDE)
}
# The numbers of rows and of pieces of long fields compared at a time, which bound the memory.
_ROWS_AT_ONCE = 1 << 17
_PIECES_AT_ONCE = 1 << 14
# The numbers of bytes gathered and of entries searched or counted at a time.
_BYTES_AT_ONCE = 1 << 18
_PIECE = 1 << 18


@dataclass(frozen=True, slots=True)
class Fields:
    """One field per row: `length` bytes of `data` from `start`."""

    data: Bytes
    start: Ints
    length: Ints

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, rows: Any) -> Fields:
        return Fields(self.data, self.start[rows], self.length[rows])

    def bytes_at(self, row: int) -> bytes:
        start = int(self.start[row])
        return self.data[start : start + int(self.length[row])].tobytes()

    def text_at(self, row: int) -> str:
        return self.bytes_at(row).decode("utf-8", "replace")

    def values(self) -> list[bytes]:
        """Every field as bytes."""
        gathered, begins = gather(self)
        joined = gathered.tobytes()
        return [joined[begin:end] for begin, end in pairwise(begins.tolist())]


def indices(mask: Mask) -> Ints:
    """The indices of true entries: a faster `np.flatnonzero`, which matters for short files."""
    return mask.nonzero()[0]


def pieces(size: int) -> Iterator[tuple[int, int]]:
    """Begin and end of the pieces in which an array of this size is processed."""
    for begin in range(0, size, _PIECE):
        yield begin, min(begin + _PIECE, size)


def count_before(mask: Mask, places: Positions) -> Ints:
    """The number of marked entries before each of some sorted positions."""
    counts = np.empty(len(places), dtype=np.int64)
    total = 0
    for begin, end in pieces(len(mask)):
        piece = mask[begin:end]
        here = slice(*np.searchsorted(places, np.array([begin, end], dtype=places.dtype)))
        counts[here] = (np.cumsum(piece) - piece)[places[here] - begin]
        counts[here] += total
        total += int(np.count_nonzero(piece))
    counts[np.searchsorted(places, places.dtype.type(len(mask))) :] = total
    return counts


def pad(data: bytes | bytearray) -> Bytes:
    """The bytes as an array with the padding that these functions need."""
    return np.frombuffer(data + bytes(PADDING), dtype=np.uint8)


def eight_byte_words(data: Bytes) -> Words:
    """The eight bytes from every position of the buffer as overlapping integers (a view, not a copy)."""
    return np.ndarray((len(data) - PADDING + 1,), dtype="<u8", buffer=data, strides=(1,))


def _beginnings(fields: Fields) -> Words:
    """The first eight bytes of each field, zeros after its end."""
    loaded = eight_byte_words(fields.data)[fields.start]
    loaded &= LENGTH_MASKS[np.minimum(fields.length, 8)]
    return loaded


def equal(left: Fields, right: Fields) -> Mask:
    """For each row, whether the two fields hold the same bytes."""
    if len(left) > _ROWS_AT_ONCE:
        parts = [slice(begin, begin + _ROWS_AT_ONCE) for begin in range(0, len(left), _ROWS_AT_ONCE)]
        return np.concatenate([equal(left[part], right[part]) for part in parts])
    longest = int(left.length.max(initial=0))
    width = 1 if longest <= 8 else WIDE
    differs = load_pieces(left, width)
    differs ^= load_pieces(right, width)
    differs &= WIDE_LENGTH_MASKS[width].take(np.minimum(left.length, 8 * width), axis=0)
    same: Mask = left.length == right.length
    for load in differs.T:
        same &= load == 0
    if longest > 8 * width:
        same[_differing(left, right, same)] = False
    return same


def load_pieces(fields: Fields, width: int) -> Words:
    """The bytes from the start of each field as `width` integers per row.

    Loading a long piece costs hardly more than loading eight bytes: the memory access dominates.
    """
    places = len(fields.data) - 8 * width + 1
    every = np.ndarray((places,), dtype=f"V{8 * width}", buffer=fields.data, strides=(1,))
    return every[fields.start].view("<u8").reshape(len(fields), width)


def _differing(left: Fields, right: Fields, mask: Mask) -> Ints:
    """The rows, among those of equal length and beginning, whose further bytes differ.

    The rest of every field is split into pieces, the last of which ends with the field, and all pieces are
    compared at once.
    """
    size = 8 * WIDE
    rows = indices(mask & (left.length > size))
    result = [rows[:0]]
    for part in _blocks(rows, left.length[rows] // size):
        start, last = left.start[part], left.length[part] - size
        pieces = (last + size - 1) // size
        past = np.cumsum(pieces)
        at = np.arange(size, size * past[-1] + size, size)
        at += np.repeat(start - size * (past - pieces), pieces)
        np.minimum(at, np.repeat(start + last, pieces), out=at)
        ours = load_pieces(Fields(left.data, at, at), WIDE)
        at += np.repeat(right.start[part] - start, pieces)
        differing = indices((ours != load_pieces(Fields(right.data, at, at), WIDE)).ravel())
        if len(differing):
            result.append(part[np.searchsorted(past, differing // WIDE, side="right")])
    return np.concatenate(result)


def _blocks(rows: Ints, cost: Ints) -> Iterator[Ints]:
    """The rows in parts of bounded total cost (or of one row), which bounds the memory for any file."""
    if not len(rows):
        return
    reached = np.cumsum(cost)
    cuts = np.searchsorted(reached, np.arange(_PIECES_AT_ONCE, reached[-1], _PIECES_AT_ONCE)).tolist()
    for begin, end in pairwise([0, *cuts, len(rows)]):
        if begin < end:
            yield rows[begin:end]


def equals_text(fields: Fields, text: bytes) -> Mask:
    """For each row, whether the field is exactly `text` (at most eight bytes)."""
    same: Mask = fields.length == len(text)
    same[same] = _beginnings(fields[same]) == np.uint64(int.from_bytes(text, "little"))
    return same


def gather(fields: Fields) -> tuple[Bytes, Ints]:
    """The fields' bytes one after the other (padded), and where each begins; one more entry marks the end."""
    begins = np.zeros(len(fields) + 1, dtype=np.int64)
    np.cumsum(fields.length, out=begins[1:])
    joined = np.zeros(int(begins[-1]) + PADDING, dtype=np.uint8)
    for first, past in _parts_to_gather(fields, begins):
        place = joined[begins[first] : begins[past]]
        if past - first == 1:
            place[:] = fields.data[fields.start[first] : fields.start[first] + fields.length[first]]
        elif len(place):
            place[:] = fields.data[_all_positions(fields[first:past], begins[first : past + 1])]
    return joined, begins


def _parts_to_gather(fields: Fields, begins: Ints) -> Iterator[tuple[int, int]]:
    """Parts of the fields, each of few bytes or of one field, whose positions are computed at once."""
    if begins[-1] <= _BYTES_AT_ONCE:
        yield 0, len(fields)
        return
    long = indices(fields.length > _BYTES_AT_ONCE)
    regular = np.searchsorted(begins, np.arange(_BYTES_AT_ONCE, begins[-1], _BYTES_AT_ONCE))
    cuts = np.unique(np.concatenate([[0, len(fields)], long, long + 1, regular]))
    yield from pairwise(np.minimum(cuts, len(fields)).tolist())


def _all_positions(fields: Fields, begins: Ints) -> Ints:
    """The position of each byte of the fields: it grows by one inside a field and jumps between fields."""
    some = indices(fields.length > 0)
    start, length = fields.start[some], fields.length[some]
    # Summing steps is cheaper than repeating.
    steps = np.ones(int(begins[-1] - begins[0]), dtype=np.int64)
    steps[0] = start[0]
    steps[begins[some[1:]] - begins[0]] = start[1:] - (start[:-1] + length[:-1]) + 1
    return np.cumsum(steps, out=steps)


@cache
def keep_freed_memory() -> None:
    """Make later allocations faster, once per process.

    The C library of Linux returns memory to the system whenever a few arrays are freed, and a fifth of the
    time would be spent on getting it back page by page. It keeps more after a large block has been freed
    once.
    """
    np.empty((1 << 25) - (1 << 13), dtype=np.uint8)
