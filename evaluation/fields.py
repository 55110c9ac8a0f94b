"""Fields of a file as (start, length) pairs over its bytes, compared and grouped without making strings.

A buffer is an array of bytes with eight zero bytes behind its end, so that eight bytes can be loaded at
any place. Every function works on all rows at once; a hash only proposes, equality of bytes decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

PADDING = 8
MAX_DIGITS = 9

# Beyond this length a field is handled by itself: a loop of eight-byte steps over one giant would be slow.
_LONG = 256
_KEEP = np.array([(1 << (8 * n)) - 1 for n in range(8)] + [2**64 - 1], dtype=np.uint64)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_TABLE_BITS = 16


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


def padded(data: bytes) -> Bytes:
    """The bytes as an array with the padding that the functions here rely on."""
    return np.frombuffer(data + bytes(PADDING), dtype=np.uint8)


def _eights(data: Bytes) -> NDArray[np.uint64]:
    """Eight bytes from every place of the buffer, as overlapping integers (a view, not a copy)."""
    return np.ndarray((len(data) - PADDING + 1,), dtype="<u8", buffer=data, strides=(1,))


def equal(left: Fields, right: Fields) -> Mask:
    """For each row, whether the two fields hold the same bytes."""
    same = left.length == right.length
    rows = np.flatnonzero(same)
    left_eights, right_eights = _eights(left.data), _eights(right.data)
    done = 0
    while len(rows):
        left_start = left.start[rows] + done
        right_start = right.start[rows] + done
        rest = left.length[rows] - done
        if done >= _LONG:
            for row in rows.tolist():
                same[row] = left.bytes_at(row) == right.bytes_at(row)
            break
        keep = _KEEP[np.minimum(rest, 8)]
        agree = ((left_eights[left_start] ^ right_eights[right_start]) & keep) == 0
        same[rows[~agree]] = False
        rows = rows[agree & (rest > 8)]
        done += 8
    return same


def equals_text(fields: Fields, text: bytes) -> Mask:
    """For each row, whether the field is exactly `text` (at most eight bytes)."""
    value = np.uint64(int.from_bytes(text, "little"))
    loaded = _eights(fields.data)[fields.start] & _KEEP[len(text)]
    return (fields.length == len(text)) & (loaded == value)


def _hashes(fields: Fields) -> NDArray[np.uint64]:
    eights = _eights(fields.data)
    result = fields.length.astype(np.uint64) * _MIX
    rows: Ints | slice = slice(None)
    start, rest = fields.start, fields.length
    # Only the first bytes of a giant are hashed: what they fail to tell apart, equality will.
    for _ in range(0, _LONG, 8):
        value = result[rows] ^ (eights[start] & _KEEP[np.minimum(rest, 8)])
        value *= _MIX
        value ^= value >> np.uint64(29)
        result[rows] = value
        longer = np.flatnonzero(rest > 8)
        if not len(longer):
            break
        rows = longer if isinstance(rows, slice) else rows[longer]
        start, rest = start[longer] + 8, rest[longer] - 8
    return result


@dataclass(frozen=True, slots=True)
class Interned:
    """Rows grouped by value: `values[codes[row]]` is the field of that row."""

    codes: Ints
    values: list[bytes]


def intern(fields: Fields) -> Interned:
    """Group the rows by their bytes; the cost is linear whatever the file holds."""
    count = len(fields)
    slots = (_hashes(fields) * _MIX) >> np.uint64(64 - _TABLE_BITS)
    table = np.empty(1 << _TABLE_BITS, dtype=np.int64)
    table[slots] = np.arange(count)
    chosen = table[slots]
    agrees = equal(fields, fields[chosen])
    is_chosen = np.zeros(count, dtype=bool)
    is_chosen[chosen] = True
    rows = np.flatnonzero(is_chosen)
    values = [fields.bytes_at(row) for row in rows.tolist()]
    code_of_row = np.zeros(count, dtype=np.int64)
    code_of_row[rows] = np.arange(len(rows))
    codes = code_of_row[chosen]
    strangers = np.flatnonzero(~agrees)
    if len(strangers):
        known = {value: code for code, value in enumerate(values)}
        for row in strangers.tolist():
            codes[row] = known.setdefault(fields.bytes_at(row), len(known))
        values = list(known)
    return Interned(codes=codes, values=values)


def decimals(fields: Fields) -> tuple[Ints, Mask]:
    """Each field as a plain ASCII decimal without leading zeros, and which rows are one."""
    data, start, length = fields.data, fields.start, fields.length
    good = (length > 0) & (length <= MAX_DIGITS)
    value = np.zeros(len(start), dtype=np.int64)
    longest = int(length[good].max(initial=0))
    last = len(data) - 1
    for place in range(longest):
        inside = length > place
        digit = data[np.minimum(start + place, last)].astype(np.int64) - ord("0")
        good &= ~inside | ((digit >= 0) & (digit <= 9))
        if place == 0:
            good &= (digit != 0) | (length == 1)
        value = np.where(inside, value * 10 + digit, value)
    value[~good] = -1
    return value, good


def first_of(fields: Fields, wanted: bytes) -> Ints:
    """Offset in each field of the first byte that is one of `wanted`; the field's length where there is none."""
    found = fields.length.copy()
    open_rows = np.arange(len(found))
    targets = np.frombuffer(wanted, dtype=np.uint8)
    for place in range(min(int(found.max(initial=0)), 2 * MAX_DIGITS + 2)):
        open_rows = open_rows[fields.length[open_rows] > place]
        if not len(open_rows):
            break
        hit = np.isin(fields.data[fields.start[open_rows] + place], targets)
        found[open_rows[hit]] = place
        open_rows = open_rows[~hit]
    return found


def gather(fields: Fields) -> tuple[Bytes, Ints]:
    """The fields' bytes one after the other (padded), and where each begins; one more entry marks the end."""
    begins = np.zeros(len(fields) + 1, dtype=np.int64)
    np.cumsum(fields.length, out=begins[1:])
    total = int(begins[-1])
    places = np.arange(total)
    places += np.repeat(fields.start - begins[:-1], fields.length)
    joined = np.zeros(total + PADDING, dtype=np.uint8)
    joined[:total] = fields.data[places]
    return joined, begins
