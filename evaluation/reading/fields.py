"""Fields of a file as (start, length) pairs over its bytes, compared and grouped without making strings.

A buffer is an array of bytes with zeros behind its end, so that several integers can be loaded at any
place. Every function works on all rows at once; a hash only proposes, equality of bytes decides.
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
# Places in a file take half the memory while the file is below two gigabytes.
Places = NDArray[np.signedinteger[Any]]

# How many integers of eight bytes are compared at a time; a buffer has room behind its end for as many.
_WIDE = 4
PADDING = 8 * _WIDE

# By length: the bytes of an integer of eight that belong to a field that is not longer.
KEEP = np.array([(1 << (8 * n)) - 1 for n in range(8)] + [2**64 - 1], dtype=np.uint64)
_KEEP_WIDE = {
    width: np.where(
        np.arange(8 * width) < np.arange(8 * width + 1)[:, None], np.uint8(255), np.uint8(0)
    ).view("<u8")
    for width in (1, _WIDE)
}
_MIX = np.uint64(0x9E3779B97F4A7C15)
_TABLE_BITS = 14
# How many integers hold a field that is grouped; a column of narrow fields only is grouped in one round.
_WIDTHS = (1, 2, 4, 8, 16, 32)
_NARROW = (1, 2)
# Below so many rows some integers too many cost less than one more round.
_FEW = 4096
# How many rows, and how many pieces of long fields, are compared at a time, so that memory stays small.
_MANY = 1 << 17
_BLOCK = 1 << 14
# How many bytes are gathered, and how many entries are searched or counted, at a time.
_GATHERED = 1 << 18
_PIECE = 1 << 18


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


def indices(mask: Mask) -> Ints:
    """Where a mask holds: `np.flatnonzero` without its detours, which count where a file has few words."""
    return mask.nonzero()[0]


def pieces(size: int) -> Iterator[tuple[int, int]]:
    """Begin and end of stretches in which an array of so many entries is worked through."""
    for begin in range(0, size, _PIECE):
        yield begin, min(begin + _PIECE, size)


def count_before(mask: Mask, places: Places) -> Ints:
    """How many entries are marked before each of some places, which are in order."""
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


def padded(data: bytes | bytearray) -> Bytes:
    """The bytes as an array with the padding that the functions here rely on."""
    return np.frombuffer(data + bytes(PADDING), dtype=np.uint8)


def eights(data: Bytes) -> Words:
    """Eight bytes from every place of the buffer, as overlapping integers (a view, not a copy)."""
    return np.ndarray((len(data) - PADDING + 1,), dtype="<u8", buffer=data, strides=(1,))


def _beginnings(fields: Fields) -> Words:
    """The first eight bytes of each field, zeros behind its end."""
    loaded = eights(fields.data)[fields.start]
    loaded &= KEEP[np.minimum(fields.length, 8)]
    return loaded


def equal(left: Fields, right: Fields) -> Mask:
    """For each row, whether the two fields hold the same bytes."""
    if len(left) > _MANY:
        parts = [slice(begin, begin + _MANY) for begin in range(0, len(left), _MANY)]
        return np.concatenate([equal(left[part], right[part]) for part in parts])
    longest = int(left.length.max(initial=0))
    width = 1 if longest <= 8 else _WIDE
    differs = _pieces(left, width)
    differs ^= _pieces(right, width)
    differs &= _KEEP_WIDE[width].take(np.minimum(left.length, 8 * width), axis=0)
    same: Mask = left.length == right.length
    for load in differs.T:
        same &= load == 0
    if longest > 8 * width:
        same[_differing(left, right, same)] = False
    return same


def _pieces(fields: Fields, width: int) -> Words:
    """The bytes from the start of each field as `width` integers a row.

    Fetching a long piece costs hardly more than fetching eight bytes: what costs is to go there.
    """
    places = len(fields.data) - 8 * width + 1
    every = np.ndarray((places,), dtype=f"V{8 * width}", buffer=fields.data, strides=(1,))
    return every[fields.start].view("<u8").reshape(len(fields), width)


def _differing(left: Fields, right: Fields, among: Mask) -> Ints:
    """The rows, among those of equal length and beginning, whose further bytes differ.

    The rest of every field is cut into pieces, the last of which ends with the field, and all pieces are
    compared side by side.
    """
    size = 8 * _WIDE
    rows = indices(among & (left.length > size))
    found = [rows[:0]]
    for part in _blocks(rows, left.length[rows] // size):
        start, last = left.start[part], left.length[part] - size
        pieces = (last + size - 1) // size
        past = np.cumsum(pieces)
        at = np.arange(size, size * past[-1] + size, size)
        at += np.repeat(start - size * (past - pieces), pieces)
        np.minimum(at, np.repeat(start + last, pieces), out=at)
        ours = _pieces(Fields(left.data, at, at), _WIDE)
        at += np.repeat(right.start[part] - start, pieces)
        differing = indices((ours != _pieces(Fields(right.data, at, at), _WIDE)).ravel())
        if len(differing):
            found.append(part[np.searchsorted(past, differing // _WIDE, side="right")])
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
    longest = int(fields.length.max(initial=0))
    for width in _NARROW:
        if longest <= 8 * width:
            return Interned(fields, *_group(_loads(fields, width), fields.length))
    codes = np.empty(len(fields), dtype=np.int64)
    examples: list[Ints] = [codes[:0]]
    known = 0
    rows = np.arange(len(fields))
    # Fields of about the same length together, so that a few loads hold each of them whole.
    for width in _WIDTHS:
        if width > 1 and 8 * width < longest and len(rows) < _FEW:
            # Some loads too many cost less than one more round.
            continue
        fits = fields.length[rows] <= 8 * width
        fitting, rows = rows[fits], rows[~fits]
        if len(fitting):
            part = fields[fitting]
            codes_of_part, example = _group(_loads(part, width), part.length)
            codes[fitting] = codes_of_part + known
            examples.append(fitting[example])
            known += len(example)
        if not len(rows):
            return Interned(fields, codes, np.concatenate(examples))
    # Giants cannot be many; each is taken as a string.
    codes[rows], example = _group_by_value([fields.bytes_at(row) for row in rows.tolist()])
    codes[rows] += known
    return Interned(fields, codes, np.concatenate([*examples, rows[example]]))


def _loads(fields: Fields, width: int) -> list[Words]:
    """All bytes of each field as `width` integers; the last load ends with the field, and so do any more."""
    kept = KEEP[np.minimum(fields.length, 8)]
    # The load of a field that is shorter than it is the field, however often it is taken.
    last = np.maximum(fields.length - 8, 0)
    every = eights(fields.data)
    return [every[fields.start + np.minimum(8 * load, last)] & kept for load in range(width)]


def _group(loads: list[Words], length: Ints) -> tuple[Ints, Ints]:
    """A code for each row, equal where the row is, and one row for each code."""
    mixed = length.view(np.uint64) * _MIX
    for load in loads:
        mixed ^= load
        mixed *= _MIX
    codes = np.empty(len(length), dtype=np.int64)
    examples: list[Ints] = []
    known = 0
    every = rows = np.arange(len(length))
    # Few values, as in most columns, fit a small table; what collides there is sorted by all of its hash.
    for propose in (_slots, _ranks):
        here = slice(None) if rows is every else rows
        group, groups = propose(mixed[here])
        chosen_of = np.empty(groups, dtype=np.int64)
        chosen_of[group] = rows
        chosen = chosen_of[group]
        is_chosen = np.zeros(len(length), dtype=bool)
        is_chosen[chosen] = True
        examples.append(indices(is_chosen))
        codes[here] = (np.cumsum(is_chosen) + (known - 1))[chosen]
        known += len(examples[-1])
        # Equal rows are in one group, so what differs from its group's example is of no value seen so far.
        same = length[here] == length[chosen]
        for load in loads:
            same &= load[here] == load[chosen]
        rows = rows[~same]
        if not len(rows):
            return codes, np.concatenate(examples)
    # Only values made to collide end here.
    values = np.stack([length[rows].view(np.uint64), *(load[rows] for load in loads)], axis=1)
    codes[rows], example = _group_by_value([value.tobytes() for value in values])
    codes[rows] += known
    return codes, np.concatenate([*examples, rows[example]])


def _slots(mixed: Words) -> tuple[Ints, int]:
    return (mixed >> np.uint64(64 - _TABLE_BITS)).view(np.int64), 1 << _TABLE_BITS


def _ranks(mixed: Words) -> tuple[Ints, int]:
    distinct, rank = np.unique(mixed, return_inverse=True)
    return rank, len(distinct)


def _group_by_value(values: list[bytes]) -> tuple[Ints, Ints]:
    seen: dict[bytes, int] = {}
    codes = [seen.setdefault(value, len(seen)) for value in values]
    first = np.full(len(seen), -1, dtype=np.int64)
    first[codes] = np.arange(len(values))
    return np.array(codes, dtype=np.int64), first


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
            place[:] = fields.data[_every_place(fields[first:past], begins[first : past + 1])]
    return joined, begins


def _parts_to_gather(fields: Fields, begins: Ints) -> Iterator[tuple[int, int]]:
    """Stretches of fields, each of few bytes or of one field: every place in them is worked out at once."""
    if begins[-1] <= _GATHERED:
        yield 0, len(fields)
        return
    long = indices(fields.length > _GATHERED)
    regular = np.searchsorted(begins, np.arange(_GATHERED, begins[-1], _GATHERED))
    cuts = np.unique(np.concatenate([[0, len(fields)], long, long + 1, regular]))
    yield from pairwise(np.minimum(cuts, len(fields)).tolist())


def _every_place(fields: Fields, begins: Ints) -> Ints:
    """The place of each byte of the fields: it grows by one inside a field and jumps between two of them."""
    some = indices(fields.length > 0)
    start, length = fields.start[some], fields.length[some]
    # Summing steps is cheaper than repeating.
    steps = np.ones(int(begins[-1] - begins[0]), dtype=np.int64)
    steps[0] = start[0]
    steps[begins[some[1:]] - begins[0]] = start[1:] - (start[:-1] + length[:-1]) + 1
    return np.cumsum(steps, out=steps)


# The C library of Linux hands memory back to the system whenever a few arrays are freed, and a fifth of the
# time would go into getting it again, page by page. It keeps more once it has seen a large block come and go.
np.empty((1 << 25) - (1 << 13), dtype=np.uint8)
