"""Where some characters, such as spaces, are in a text, and the text without them.

Texts are padded buffers of valid UTF-8 (see `fields`). They are searched in pieces: one byte of memory is
spent on a byte of the text, and not the eight of a list of places.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .fields import KEEP, PADDING, Bytes, Ints, Mask, eights, indices, pieces


def occurring(data: Bytes, characters: tuple[bytes, ...]) -> Mask | None:
    """Which bytes of the text belong to one of these characters; None where none does."""
    by_first: dict[tuple[int, int], list[np.uint64]] = {}
    for character in characters:
        key = character[0], len(character)
        by_first.setdefault(key, []).append(np.uint64(int.from_bytes(character, "little")))
    mask: Mask | None = None
    for begin, end in pieces(len(data) - PADDING):
        for (first, length), wanted in by_first.items():
            at = indices(data[begin:end] == first)
            if length > 1 and len(at):
                loaded = eights(data)[at + begin] & KEEP[length]
                at = at[np.logical_or.reduce([loaded == value for value in wanted])]
            if len(at):
                mask = np.zeros(len(data) - PADDING, dtype=bool) if mask is None else mask
                for offset in range(length):
                    mask[at + (begin + offset)] = True
    return mask


def without(data: Bytes, characters: tuple[bytes, ...]) -> bytes:
    """The text less every occurrence of some characters."""
    dropped = occurring(data, characters)
    kept = data[:-PADDING]
    return kept.tobytes() if dropped is None else kept[~dropped].tobytes()


def place_of_unmarked(mask: Mask, number: int) -> int:
    """The place of the byte that has so many unmarked bytes before it; the end where there is none."""
    for begin, end in pieces(len(mask)):
        unmarked = end - begin - int(np.count_nonzero(mask[begin:end]))
        if number < unmarked:
            return begin + int(indices(~mask[begin:end])[number])
        number -= unmarked
    return len(mask)


def marked_groups(mask: Mask, start: Ints) -> Iterator[Ints]:
    """The groups with a marked byte, in order, a few at a time; group `g` begins at start[g]."""
    last = -1
    for begin, end in pieces(len(mask)):
        at = indices(mask[begin:end])
        if len(at):
            groups = np.unique(np.searchsorted(start, at + begin, side="right") - 1)
            # The group in which the piece before ended may go on here.
            yield groups[groups > last]
            last = int(groups[-1])
