"""Find or remove some characters, such as spaces, in a text.

Texts are padded buffers of valid UTF-8 (see `fields`). They are searched in pieces. Results are masks:
one byte per byte of the text, instead of eight for a list of positions.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .fields import LENGTH_MASKS, PADDING, Bytes, Ints, Mask, eight_byte_words, indices, pieces


def find_characters(data: Bytes, characters: tuple[bytes, ...]) -> Mask | None:
    """Which bytes of the text belong to one of these characters; None if none does."""
    by_first: dict[tuple[int, int], list[np.uint64]] = {}
    for character in characters:
        key = character[0], len(character)
        by_first.setdefault(key, []).append(np.uint64(int.from_bytes(character, "little")))
    mask: Mask | None = None
    for begin, end in pieces(len(data) - PADDING):
        for (first, length), values in by_first.items():
            at = indices(data[begin:end] == first)
            if length > 1 and len(at):
                loaded = eight_byte_words(data)[at + begin] & LENGTH_MASKS[length]
                at = at[np.logical_or.reduce([loaded == value for value in values])]
            if len(at):
                mask = np.zeros(len(data) - PADDING, dtype=bool) if mask is None else mask
                for offset in range(length):
                    mask[at + (begin + offset)] = True
    return mask


def remove_characters(data: Bytes, characters: tuple[bytes, ...]) -> bytes:
    """The text without any of these characters."""
    removed = find_characters(data, characters)
    text = data[:-PADDING]
    return text.tobytes() if removed is None else text[~removed].tobytes()


def position_of_unmarked(mask: Mask, number: int) -> int:
    """The position of the unmarked byte with this number, from 0; the end if there is none."""
    for begin, end in pieces(len(mask)):
        unmarked = end - begin - int(np.count_nonzero(mask[begin:end]))
        if number < unmarked:
            return begin + int(indices(~mask[begin:end])[number])
        number -= unmarked
    return len(mask)


def marked_groups(mask: Mask, start: Ints) -> Iterator[Ints]:
    """The groups that contain a marked byte, in order, in batches; group `g` begins at start[g]."""
    last = -1
    for begin, end in pieces(len(mask)):
        at = indices(mask[begin:end])
        if len(at):
            groups = np.unique(np.searchsorted(start, at + begin, side="right") - 1)
            # The last group of the previous piece may continue here.
            yield groups[groups > last]
            last = int(groups[-1])
