"""The tabs of token lines: which lines have ten columns, and where these are."""

from __future__ import annotations

from typing import Any

import numpy as np

from .fields import Bytes, Ints, Places, indices
from .token_lines import TABS, PieceOfLines

# The mask of a longer stretch would not stay in the processor's cache.
_SEARCHED = 1 << 18


def places(data: Bytes, begin: int, end: int, byte: int, dtype: np.dtype[Any]) -> Any:
    """Where a byte occurs in a stretch of the data."""
    found = []
    for at in range(begin, end, _SEARCHED):
        within = indices(data[at : min(at + _SEARCHED, end)] == byte)
        found.append(np.add(within, at, dtype=dtype, casting="same_kind"))
    return found[0] if len(found) == 1 else np.concatenate(found)


def sort_by_columns(tabs: Places, number: Ints, sentence: Ints, start: Ints, end: Ints) -> PieceOfLines:
    """The token lines of a piece with their columns, given all tabs of the piece."""
    lines = len(number)
    if len(tabs) == TABS * lines:
        table = tabs.reshape(lines, TABS)
        # Sorted places, nine to a line, the first and the last of them inside it: then so are all.
        if bool(((table[:, 0] >= start) & (table[:, -1] < end)).all()):
            return PieceOfLines(number, sentence, start, end, table.T)
    # Numbers of another type would make a copy of all tabs.
    first = np.searchsorted(tabs, start.astype(tabs.dtype))
    found = np.searchsorted(tabs, end.astype(tabs.dtype)) - first
    of_good = first[found == TABS]
    id_end = end.astype(tabs.dtype)
    has_tab = found > 0
    id_end[has_tab] = tabs[first[has_tab]]
    table = np.stack([tabs[of_good + column] for column in range(TABS)])
    return PieceOfLines(number, sentence, start, end, table, found + 1, id_end)


def why_columns(columns: int, line: Bytes) -> str:
    """A guess at why a line does not have ten columns, or nothing."""
    if columns > TABS + 1:
        return "A value seems to contain a tab."
    text = line.tobytes()
    if not text.decode("utf-8", "replace").strip():
        return "The line contains only white space: make it empty if it ends a sentence."
    if columns == 1 and (b"  " in text or text.count(b" ") >= TABS):
        return "The columns seem to be separated by spaces instead of tabs."
    if columns == TABS - 1:
        return "DEPS and MISC seem to be missing."
    if columns == TABS:
        return "DEPS or MISC seems to be missing."
    return ""
