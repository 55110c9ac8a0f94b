"""Fields of a file as (start, length) pairs over its bytes, compared and grouped without making strings.

A buffer is an array of bytes with eight zero bytes behind its end, so that eight bytes can be loaded at
any place. Every function works on all rows at once; a hash only proposes, equality of bytes decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Words = NDArray[np.uint64]

PADDING = 8

_KEEP = np.array([(1 << (8 * n)) - 1 for n in range(8)] + [2**64 - 1], dtype=np.uint64)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_TABLE_BITS = 14
# How much of a giant field is hashed at most, and how many loads of eight bytes are compared at a time.
_HASHED_BYTES = 256
_BLOCK = 1 << 14


@dataclass(frozen=True, slots=True)
class Fields:
    """One field a row: `length` bytes of `data` from `start`."""

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
        """Every field as bytes of its own."""
        joined, begins = gather(self)
        together = joined.tobytes()
        return [together[begin:end] for begin, end in pairwise(begins.tolist())]


def padded(data: bytes | bytearray) -> Bytes:
    """The bytes as an array with the padding that the functions here rely on."""
    return np.frombuffer(data + bytes(PADDING), dtype=np.uint8)


def eights(data: Bytes) -> Words:
    """Eight bytes from every place of the buffer, as overlapping integers (a view, not a copy)."""
    return np.ndarray((len(data) - PADDING + 1,), dtype="<u8", buffer=data, strides=(1,))


def _beginnings(fields: Fields) -> Words:
    """The first eight bytes of each field, zeros behind its end."""
    loaded = eights(fields.data)[fields.start]
    loaded &= _KEEP[np.minimum(fields.length, 8)]
    return loaded


def equal(left: Fields, right: Fields) -> Mask:
    """For each row, whether the two fields hold the same bytes."""
    differs = eights(left.data)[left.start]
    differs ^= eights(right.data)[right.start]
    differs &= _KEEP[np.minimum(left.length, 8)]
    same: Mask = (left.length == right.length) & (differs == 0)
    same[_differing(left, right, same)] = False
    return same


def _differing(left: Fields, right: Fields, among: Mask) -> Ints:
    """The rows, among those of equal length and beginning, whose further bytes differ.

    The rest of every field is cut into loads of eight bytes, the last of which ends with the field, and all
    loads are compared side by side.
    """
    rows = np.flatnonzero(among & (left.length > 8))
    left_eights, right_eights = eights(left.data), eights(right.data)
    found = [rows[:0]]
    for part in _blocks(rows, left.length[rows] >> 3):
        start, last = left.start[part], left.length[part] - 8
        loads = (last + 7) >> 3
        past = np.cumsum(loads)
        at = np.arange(8, 8 * past[-1] + 8, 8)
        at += np.repeat(start - 8 * (past - loads), loads)
        np.minimum(at, np.repeat(start + last, loads), out=at)
        ours = left_eights[at]
        at += np.repeat(right.start[part] - start, loads)
        differing = np.flatnonzero(ours != right_eights[at])
        if len(differing):
            found.append(part[np.searchsorted(past, differing, side="right")])
    return np.concatenate(found)


def _blocks(rows: Ints, cost: Ints) -> Iterator[Ints]:
    """The rows in parts of bounded total cost (or of one row): memory stays small whatever the file holds."""
    if not len(rows):
        return
    reached = np.cumsum(cost)
    cuts = np.searchsorted(reached, np.arange(_BLOCK, reached[-1], _BLOCK)).tolist()
    for begin, end in pairwise([0, *cuts, len(rows)]):
        if begin < end:
            yield rows[begin:end]


def equals_text(fields: Fields, text: bytes) -> Mask:
    """For each row, whether the field is exactly `text` (at most eight bytes)."""
    same: Mask = fields.length == len(text)
    same[same] = _beginnings(fields[same]) == np.uint64(int.from_bytes(text, "little"))
    return same


@dataclass(frozen=True, slots=True)
class Interned:
    """Rows grouped by value: rows with equal codes hold equal fields; `examples` has one row of each code."""

    fields: Fields
    codes: Ints
    examples: Ints

    def values(self) -> list[bytes]:
        """The field of each code."""
        return self.fields[self.examples].values()


def intern(fields: Fields) -> Interned:
    """Group the rows by their bytes; the cost is linear (but for one sort) whatever the file holds."""
    codes = np.zeros(len(fields), dtype=np.int64)
    examples: list[Ints] = []
    known = 0
    rows = np.arange(len(fields))
    # Few values, as in most columns, fit a small table; what collides there is sorted by a better hash.
    for propose in (_slots, _ranks):
        part = fields[rows] if known else fields
        beginnings = _beginnings(part)
        group, groups = propose(part, beginnings)
        chosen_of = np.empty(groups, dtype=np.int64)
        chosen_of[group] = np.arange(len(part))
        chosen = chosen_of[group]
        is_chosen = np.zeros(len(part), dtype=bool)
        is_chosen[chosen] = True
        examples.append(rows[is_chosen])
        code_of = np.cumsum(is_chosen) + (known - 1)
        codes[rows] = code_of[chosen]
        known += len(examples[-1])
        # Equal fields are in one group, so what differs from its group's example is of no value seen so far.
        same = (beginnings == beginnings[chosen]) & (part.length == part.length[chosen])
        long = np.flatnonzero(same & (part.length > 8))
        same[long] = equal(part[long], part[chosen[long]])
        rows = rows[~same]
        if not len(rows):
            return Interned(fields, codes, np.concatenate(examples))
    # Only fields made to collide end here, at the price of a string a row.
    seen: dict[bytes, int] = {}
    last = []
    for row, value in zip(rows.tolist(), fields[rows].values(), strict=True):
        if value not in seen:
            seen[value] = known + len(seen)
            last.append(row)
        codes[row] = seen[value]
    return Interned(fields, codes, np.concatenate([*examples, np.array(last, dtype=np.int64)]))


def _slots(fields: Fields, beginnings: Words) -> tuple[Ints, int]:
    """A number below 2^14 for each field, from its length and eight bytes at each quarter of it."""
    mixed = beginnings ^ fields.length.view(np.uint64)
    mixed *= _MIX
    longer = np.flatnonzero(fields.length > 8)
    if len(longer):
        start, last = fields.start[longer], fields.length[longer] - 8
        value = mixed[longer]
        for quarter in (4, 1, 2, 3):
            value ^= eights(fields.data)[start + (last * quarter >> 2)]
            value *= _MIX
        mixed[longer] = value
    mixed >>= np.uint64(64 - _TABLE_BITS)
    return mixed.view(np.int64), 1 << _TABLE_BITS


def _ranks(fields: Fields, beginnings: Words) -> tuple[Ints, int]:
    """The rank of each field's hash. Of a giant only the first bytes count: equality sees the others."""
    loads = eights(fields.data)
    hashes = (beginnings ^ fields.length.view(np.uint64)) * _MIX
    rows = np.arange(len(fields))
    for offset in range(8, _HASHED_BYTES, 8):
        rows = rows[fields.length[rows] > offset]
        if not len(rows):
            break
        rest = np.minimum(fields.length[rows] - offset, 8)
        value = hashes[rows] ^ (loads[fields.start[rows] + offset] & _KEEP[rest])
        value *= _MIX
        value ^= value >> np.uint64(29)
        hashes[rows] = value
    distinct, rank = np.unique(hashes, return_inverse=True)
    return rank, len(distinct)


def gather(fields: Fields) -> tuple[Bytes, Ints]:
    """The fields' bytes one after the other (padded), and where each begins; one more entry marks the end."""
    begins = np.zeros(len(fields) + 1, dtype=np.int64)
    np.cumsum(fields.length, out=begins[1:])
    total = int(begins[-1])
    joined = np.zeros(total + PADDING, dtype=np.uint8)
    if total:
        some = np.flatnonzero(fields.length > 0)
        start, length = fields.start[some], fields.length[some]
        # Places grow by one inside a field and jump between fields: summing steps is cheaper than repeating.
        steps = np.ones(total, dtype=np.int64)
        steps[0] = start[0]
        steps[begins[some[1:]]] = start[1:] - (start[:-1] + length[:-1]) + 1
        joined[:total] = fields.data[np.cumsum(steps, out=steps)]
    return joined, begins


def occurrences(data: Bytes, characters: tuple[bytes, ...]) -> dict[int, Ints]:
    """Where any of these characters (whole ones of valid UTF-8) begin, by their length in bytes."""
    found: dict[int, Ints] = {}
    by_first: dict[tuple[int, int], list[int]] = {}
    for character in characters:
        key = character[0], len(character)
        by_first.setdefault(key, []).append(int.from_bytes(character, "little"))
    for (first, length), wanted in by_first.items():
        at = np.flatnonzero(data[:-PADDING] == first)
        if len(at):
            loaded = eights(data)[at] & _KEEP[length]
            hit = np.zeros(len(at), dtype=bool)
            for value in wanted:
                hit |= loaded == np.uint64(value)
            if hit.any():
                found[length] = np.append(found.get(length, at[:0]), at[hit])
    return found


# The C library of Linux hands memory back to the system whenever a few arrays are freed, and a fifth of the
# time would go into getting it again, page by page. It keeps more once it has seen a large block come and go.
np.empty((1 << 25) - (1 << 13), dtype=np.uint8)
