"""Parse ASCII decimals without leading zeros (IDs and HEADs), a whole column at a time."""

from __future__ import annotations

import numpy as np

from .fields import Fields, Ints, Mask, eight_byte_words, indices

# Represents every number of more than eight digits: no sentence is that long.
TOO_LARGE = 10**8


def parse_decimals(fields: Fields) -> tuple[Ints, Mask]:
    """The value of each field (-1 if it is not such a decimal), and which fields are valid."""
    one_digit, two_digits = fields.length == 1, fields.length == 2
    first = fields.data[fields.start] - np.uint8(ord("0"))
    second = fields.data[fields.start + 1] - np.uint8(ord("0"))
    # Bytes wrap around, so that characters below the digit 0 become larger than 9.
    good: Mask = (first <= 9) & (one_digit | (two_digits & (second <= 9) & (first > 0)))
    value = np.where(two_digits, first * np.uint8(10) + second, first).astype(np.int64)
    value[~good] = -1
    longer = indices(fields.length > 2)
    if len(longer):
        value[longer], good[longer] = _longer(fields[longer])
    return value, good


def _longer(fields: Fields) -> tuple[Ints, Mask]:
    """Combine three to eight digits within one eight-byte integer: in pairs, then fours, then all."""
    length = np.minimum(fields.length, 8)
    shift = (8 * (8 - length)).astype(np.uint64)
    # Right-aligned; 0x30 is subtracted from the digits, but not from the zero bytes shifted in.
    digits = (eight_byte_words(fields.data)[fields.start] << shift) - (
        np.uint64(0x3030303030303030) >> shift << shift
    )
    above_nine = (digits | (digits + np.uint64(0x7676767676767676))) & np.uint64(0x8080808080808080)
    good: Mask = (above_nine == 0) & (fields.data[fields.start] != ord("0"))
    pairs = (digits * np.uint64(10) + (digits >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    fours = (pairs * np.uint64(100) + (pairs >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    value = ((fours * np.uint64(10000) + (fours >> np.uint64(32))) & np.uint64(0xFFFFFFFF)).astype(np.int64)
    for row in indices(good & (fields.length > 8)).tolist():
        good[row] = fields.bytes_at(row).isdigit()
        value[row] = TOO_LARGE
    return np.where(good, value, -1), good
