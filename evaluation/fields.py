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
MAX_DIGITS = 8

# Beyond this length a field is handled by itself: a loop of eight-byte steps over one giant would be slow.
_LONG = 256
_KEEP = np.array([(1 << (8 * n)) - 1 for n in range(8)] + [2**64 - 1], dtype=np.uint64)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_TABLE_BITS = 16
_ATTEMPTS = 3


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
    left_eights, right_eights = _eights(left.data), _eights(right.data)
    keep = _KEEP[np.minimum(left.length, 8)]
    same: Mask = left.length == right.length
    same &= ((left_eights[left.start] ^ right_eights[right.start]) & keep) == 0
    done = 8
    rows = np.flatnonzero(same & (left.length > done))
    while len(rows):
        if done >= _LONG:
            for row in rows.tolist():
                same[row] = left.bytes_at(row) == right.bytes_at(row)
            break
        rest = left.length[rows] - done
        differs = left_eights[left.start[rows] + done] ^ right_eights[right.start[rows] + done]
        agree = (differs & _KEEP[np.minimum(rest, 8)]) == 0
        same[rows[~agree]] = False
        rows = rows[agree & (rest > 8)]
        done += 8
    return same


def equals_text(fields: Fields, text: bytes) -> Mask:
    """For each row, whether the field is exactly `text` (at most eight bytes)."""
    value = np.uint64(int.from_bytes(text, "little"))
    loaded = _eights(fields.data)[fields.start] & _KEEP[len(text)]
    same: Mask = (fields.length == len(text)) & (loaded == value)
    return same


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
    """Rows grouped by value: rows with equal codes hold equal fields; `examples` has one row of each code."""

    fields: Fields
    codes: Ints
    examples: Ints

    def values(self) -> list[bytes]:
        """The field of each code."""
        return [self.fields.bytes_at(row) for row in self.examples.tolist()]


def intern(fields: Fields) -> Interned:
    """Group the rows by their bytes; the cost is linear whatever the file holds."""
    codes = np.zeros(len(fields), dtype=np.int64)
    examples = []
    known = 0
    open_rows = np.arange(len(fields))
    for attempt in range(_ATTEMPTS):
        part = fields[open_rows] if attempt else fields
        # Each attempt looks at other bits of the hash, from the upper, better mixed end down.
        slots = (_hashes(part) >> np.uint64(64 - _TABLE_BITS * (attempt + 1))) & np.uint64(
            (1 << _TABLE_BITS) - 1
        )
        table = np.empty(1 << _TABLE_BITS, dtype=np.int64)
        table[slots] = np.arange(len(part))
        chosen = table[slots]
        is_example = np.zeros(len(part), dtype=bool)
        is_example[chosen] = True
        example_rows = np.flatnonzero(is_example)
        code_of_row = np.empty(len(part), dtype=np.int64)
        code_of_row[example_rows] = np.arange(known, known + len(example_rows))
        known += len(example_rows)
        codes[open_rows] = code_of_row[chosen]
        examples.append(open_rows[example_rows])
        # Equal fields share a slot, so what differs from its slot's example is of no value seen so far.
        open_rows = open_rows[~equal(part, part[chosen])]
        if not len(open_rows):
            return Interned(fields, codes, np.concatenate(examples))
    # A file made to defeat the table ends here, at the price of a string a row.
    seen: dict[bytes, int] = {}
    last = []
    for row in open_rows.tolist():
        value = fields.bytes_at(row)
        if value not in seen:
            seen[value] = known + len(seen)
            last.append(row)
        codes[row] = seen[value]
    return Interned(fields, codes, np.concatenate([*examples, np.array(last, dtype=np.int64)]))


def decimals(fields: Fields) -> tuple[Ints, Mask]:
    """Each field as a plain ASCII decimal without leading zeros, and which rows are one.

    The digits are added up inside one integer of eight bytes, in pairs, then fours, then all eight.
    """
    length = fields.length
    good = (length > 0) & (length <= MAX_DIGITS)
    shift = (8 * (8 - np.where(good, length, 8))).astype(np.uint64)
    loaded = _eights(fields.data)[fields.start]
    first = loaded & np.uint64(0xFF)
    # Right-aligned; the zero bytes that move in below count as the digit 0.
    digits = (loaded - (np.uint64(0x3030303030303030) & _KEEP[np.minimum(length, 8)])) << shift
    above_nine = (digits | (digits + np.uint64(0x7676767676767676))) & np.uint64(0x8080808080808080)
    good &= (above_nine == 0) & ((first != ord("0")) | (length == 1))
    pairs = (digits * np.uint64(10) + (digits >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    fours = (pairs * np.uint64(100) + (pairs >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    value = (fours * np.uint64(10000) + (fours >> np.uint64(32))) & np.uint64(0xFFFFFFFF)
    return np.where(good, value.astype(np.int64), -1), good


def first_of(fields: Fields, wanted: bytes) -> Ints:
    """Offset in each field of the first byte among `wanted`; the field's length where there is none."""
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
            hits = at[np.isin(_eights(data)[at] & _KEEP[length], np.array(wanted, dtype=np.uint64))]
            if len(hits):
                found[length] = np.append(found[length], hits) if length in found else hits
    return found


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
        joined[:total] = fields.data[np.cumsum(steps)]
    return joined, begins
