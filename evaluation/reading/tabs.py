"""Line ends and tabs: where they are, which lines have ten columns, and where these begin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .fields import Bytes, Ints, Positions, indices
from .token_lines import TABS, PieceOfLines

# The mask of a longer piece would not fit into the processor's cache.
_SEARCHED = 1 << 18
_ONE = np.uint64(1)


def find_line_ends(data: Bytes, begin: int, end: int) -> Ints:
    """The positions of line ends in a part of the data."""
    starts = range(begin, end, _SEARCHED)
    return np.concatenate([_find_sparse(data[at : min(at + _SEARCHED, end)], ord("\n"), at) for at in starts])


def find_tabs(data: Bytes, begin: int, end: int, dtype: np.dtype[Any]) -> Positions:
    """The positions of tabs in a part of the data."""
    positions: list[Positions] = []
    for at in range(begin, end, _SEARCHED):
        within = indices(data[at : min(at + _SEARCHED, end)] == ord("\t"))
        positions.append(np.add(within, at, dtype=dtype, casting="same_kind"))
    return np.concatenate(positions)


def _find_sparse(data: Bytes, byte: int, at: int) -> Ints:
    """The positions of a rare byte, plus `at`. Words of eight bytes are searched first: few have it."""
    mask = np.zeros(len(data) + -len(data) % 8, dtype=bool)
    np.equal(data, byte, out=mask[: len(data)])
    words = mask.view("<u8")
    places = indices(words != 0)
    words = words[places]
    places *= 8
    places += at
    positions = [places[:0]]
    while len(places):
        # A marked byte is a bit: below the lowest one of a word are eight zeros for every byte before it.
        below = words - _ONE
        positions.append(places + (np.bitwise_count(below) >> 3))
        words &= below
        more = indices(words != 0)
        places, words = places[more], words[more]
    return np.sort(np.concatenate(positions), kind="stable")


def split_columns(tabs: Positions, number: Ints, sentence: Ints, start: Ints, end: Ints) -> PieceOfLines:
    """The token lines of a piece with their columns, given all tabs of the piece."""
    lines = len(number)
    if len(tabs) == TABS * lines:
        table = tabs.reshape(lines, TABS)
        # Positions are sorted, nine per line: if the first and the last are inside the line, so are all.
        if bool(((table[:, 0] >= start) & (table[:, -1] < end)).all()):
            return PieceOfLines(number, sentence, start, end, table.T)
    # Numbers of another type would cause a copy of all tabs.
    first = np.searchsorted(tabs, start.astype(tabs.dtype))
    count = np.searchsorted(tabs, end.astype(tabs.dtype)) - first
    of_good = first[count == TABS]
    id_end = end.astype(tabs.dtype)
    has_tab = count > 0
    id_end[has_tab] = tabs[first[has_tab]]
    table = np.stack([tabs[of_good + column] for column in range(TABS)])
    return PieceOfLines(number, sentence, start, end, table, count + 1, id_end)


def columns_hint(columns: int, line: Bytes, names: Sequence[str]) -> str:
    """The likely reason why a line does not have the columns of these names, or an empty string."""
    if len(names) == TABS and columns == TABS + 1:
        return "The file seems to be CoNLL-U or CoNLL-X, which have ten columns."
    if columns > len(names):
        return "A value seems to contain a tab."
    text = line.tobytes()
    if not text.decode("utf-8", "replace").strip():
        return "The line contains only white space: make it empty if it ends a sentence."
    if columns == 1 and (b"  " in text or text.count(b" ") >= TABS):
        return "The columns seem to be separated by spaces instead of tabs."
    if columns == len(names) - 2:
        return f"{names[-2]} and {names[-1]} seem to be missing."
    if columns == len(names) - 1:
        return f"{names[-2]} or {names[-1]} seems to be missing."
    return ""
