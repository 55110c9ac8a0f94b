"""Fields with the same bytes get the same code, without creating strings.

In: the fields of a column. Out: a code for each row, and one row for each code. Hashes only preselect
candidates; the bytes themselves are compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .fields import WIDE, WIDE_LENGTH_MASKS, Fields, Ints, Words, indices, load_pieces

_MIX = np.uint64(0x9E3779B97F4A7C15)
_TABLE_BITS = 14
# The numbers of integers per field in each round of grouping; narrow columns need only one round.
_WIDTHS = (4, 8, 16, 32)
_NARROW = (1, 2)
# With fewer rows, some superfluous integers cost less than another round.
_FEW_ROWS = 4096


@dataclass(frozen=True, slots=True)
class Interned:
    """Rows grouped by value: rows with equal codes have equal fields; `examples` has one row per code."""

    fields: Fields
    codes: Ints
    examples: Ints

    def values(self) -> list[bytes]:
        """The field of each code."""
        return self.fields[self.examples].values()


def intern(fields: Fields) -> Interned:
    """Group the rows by their bytes; the cost is linear, apart from one sort, for any file."""
    longest = int(fields.length.max(initial=0))
    for width in _NARROW:
        if longest <= 8 * width:
            return Interned(fields, *_group(_loads(fields, width), fields.length))
    codes = np.empty(len(fields), dtype=np.int64)
    examples: list[Ints] = [codes[:0]]
    known = 0
    rows = np.arange(len(fields))
    # Fields of similar length are grouped together, so that a few loads cover each of them.
    for width in _WIDTHS:
        if 8 * width < longest and len(rows) < _FEW_ROWS:
            # Some superfluous loads cost less than another round.
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
    # There cannot be many very long fields; each is handled as a string.
    codes[rows], example = _group_by_value([fields.bytes_at(row) for row in rows.tolist()])
    codes[rows] += known
    return Interned(fields, codes, np.concatenate([*examples, rows[example]]))


def _loads(fields: Fields, width: int) -> list[Words]:
    """All bytes of each field as `width` integers, with zeros after the end of a short field.

    Of longer fields, the last piece and any further one end with the field.
    """
    first = load_pieces(fields, min(width, WIDE))
    first &= WIDE_LENGTH_MASKS[first.shape[1]].take(fields.length, axis=0, mode="clip")
    loads = [*np.ascontiguousarray(first.T)]
    if width <= WIDE:
        return loads
    short = indices(fields.length < 8 * WIDE)
    last = np.maximum(fields.length - 8 * WIDE, 0)
    for number in range(1, width // WIDE):
        start = fields.start + np.minimum(8 * WIDE * number, last)
        piece = load_pieces(Fields(fields.data, start, start), WIDE)
        # After a short field come other bytes.
        piece[short] = first[short]
        loads += [*np.ascontiguousarray(piece.T)]
    return loads


def _group(loads: list[Words], length: Ints) -> tuple[Ints, Ints]:
    """A code for each row, equal for equal rows, and one row for each code."""
    mixed = length.view(np.uint64) * _MIX
    for load in loads:
        mixed ^= load
        mixed *= _MIX
    codes = np.empty(len(length), dtype=np.int64)
    examples: list[Ints] = []
    known = 0
    every = rows = np.arange(len(length))
    # Few values, as in most columns, fit a small table; collisions there are sorted by the full hash.
    for propose in (_slots, _ranks):
        here = slice(None) if rows is every else rows
        group, groups = propose(mixed[here])
        chosen_of = np.full(groups, -1)
        chosen_of[group] = rows
        used = indices(chosen_of >= 0)
        code_of = np.empty(groups, dtype=np.int64)
        code_of[used] = np.arange(known, known + len(used))
        codes[here] = code_of[group]
        examples.append(chosen_of[used])
        known += len(used)
        # Equal rows are in one group, so a row that differs from its group's example has a new value.
        chosen = chosen_of[group]
        same = length[here] == length[chosen]
        for load in loads:
            same &= load[here] == load[chosen]
        rows = rows[~same]
        if not len(rows):
            return codes, np.concatenate(examples)
    # Only values constructed to collide get here.
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
    known: dict[bytes, int] = {}
    codes = [known.setdefault(value, len(known)) for value in values]
    first = np.full(len(known), -1, dtype=np.int64)
    first[codes] = np.arange(len(values))
    return np.array(codes, dtype=np.int64), first
