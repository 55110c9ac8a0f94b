"""Plain ASCII decimals without leading zeros, as IDs and HEADs are written, read a column at a time."""

from __future__ import annotations

import numpy as np

from .fields import Fields, Ints, Mask, eights, indices

# Stands for every number of more than eight digits: no sentence is as long as that.
TOO_LARGE = 10**8


def decimals(fields: Fields) -> tuple[Ints, Mask]:
    """The value of each field (-1 where it is no such decimal), and which rows are one."""
    one, two = fields.length == 1, fields.length == 2
    first = fields.data[fields.start] - np.uint8(ord("0"))
    second = fields.data[fields.start + 1] - np.uint8(ord("0"))
    # Bytes wrap round, so that what is below the digit 0 is above 9 as well.
    good: Mask = (first <= 9) & (one | (two & (second <= 9) & (first > 0)))
    value = np.where(two, first * np.uint8(10) + second, first).astype(np.int64)
    value[~good] = -1
    longer = indices(fields.length > 2)
    if len(longer):
        value[longer], good[longer] = _longer(fields[longer])
    return value, good


def _longer(fields: Fields) -> tuple[Ints, Mask]:
    """Three to eight digits are added up inside one integer of eight bytes: in pairs, in fours, all."""
    length = np.minimum(fields.length, 8)
    shift = (8 * (8 - length)).astype(np.uint64)
    # Right-aligned; the zeros that move in below count as the digit 0 once 0x30 is taken from the others.
    digits = (eights(fields.data)[fields.start] << shift) - (np.uint64(0x3030303030303030) >> shift << shift)
    above_nine = (digits | (digits + np.uint64(0x7676767676767676))) & np.uint64(0x8080808080808080)
    good: Mask = (above_nine == 0) & (fields.data[fields.start] != ord("0"))
    pairs = (digits * np.uint64(10) + (digits >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    fours = (pairs * np.uint64(100) + (pairs >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    value = ((fours * np.uint64(10000) + (fours >> np.uint64(32))) & np.uint64(0xFFFFFFFF)).astype(np.int64)
    for row in indices(good & (fields.length > 8)).tolist():
        good[row] = fields.bytes_at(row).isdigit()
        value[row] = TOO_LARGE
    return np.where(good, value, -1), good
