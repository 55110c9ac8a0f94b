"""The token lines of a file, each stored as a few four-byte integers.

A token line may be as short as `x`, so that every value stored per line can take more memory than the line.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .fields import Bytes, Fields, Ints, Mask, Positions
from .incidents import visible_bytes

# The number of tabs between ten columns.
TABS = 9


@dataclass(frozen=True, slots=True)
class TokenLines:
    """The token lines of a file. Lines and sentences count from 0 here; messages count from 1."""

    data: Bytes
    number: Positions
    sentence: Positions
    start: Positions
    end: Positions
    # The end of the ID of each line: its first tab, or the end of the line.
    id_end: Positions
    well_formed: Mask
    # The nine tabs of each well-formed line, one row per column: tabs[1] are the ends of the forms.
    tabs: Positions
    # For each sentence, the byte at which its block (comments included) begins; one more marks the end.
    block_start: Positions
    # The hash of the file, if its lines were rearranged.
    sha256: str = ""

    def __len__(self) -> int:
        return len(self.number)

    @property
    def sentences(self) -> int:
        return len(self.block_start) - 1

    def ids(self, begin: int, end: int) -> Fields:
        """The IDs of some of the lines."""
        start = self.start[begin:end].astype(np.int64)
        return Fields(self.data, start, self.id_end[begin:end] - start)

    def id_text(self, row: int) -> str:
        """An ID as it is printed in messages."""
        return visible_bytes(self.data[self.start[row] : self.id_end[row]])

    def location(self, row: int) -> tuple[int, int]:
        """Line and sentence, numbered from 1 as in messages."""
        return int(self.number[row]) + 1, int(self.sentence[row]) + 1


@dataclass(frozen=True, slots=True)
class PieceOfLines:
    """The token lines of one piece of a file, in its order."""

    number: Ints
    sentence: Ints
    start: Ints
    end: Ints
    # The tabs of the lines that have nine of them. If not all lines do: the number of columns of each line,
    # and the end of its ID.
    tabs: Positions
    columns: Ints | None = None
    id_end: Positions | None = None

    @property
    def well_formed(self) -> Mask | bool:
        return True if self.columns is None else self.columns == TABS + 1


class TokenLineBuilder:
    """Fills preallocated arrays: concatenating pieces would take twice the memory."""

    def __init__(self, data: Bytes, size: int, max_lines: int) -> None:
        self._data = data
        self.dtype = np.dtype(np.int32 if size < 2**31 else np.int64)
        self._number: Positions = np.empty(max_lines, dtype=self.dtype)
        self._sentence: Positions = np.empty(max_lines, dtype=self.dtype)
        self._start: Positions = np.empty(max_lines, dtype=self.dtype)
        self._end: Positions = np.empty(max_lines, dtype=self.dtype)
        self._well_formed = np.empty(max_lines, dtype=bool)
        # A line of ten columns has at least ten bytes, which bounds the size of this array.
        self._tabs: Positions = np.empty((TABS, min(max_lines, size // (TABS + 1) + 1)), dtype=self.dtype)
        # Not needed while every line has nine tabs, because the ends of the IDs are the first ones.
        self._id_end: Positions | None = None
        self._lines = 0
        self._tabbed_lines = 0

    def add(self, piece: PieceOfLines) -> None:
        rows = slice(self._lines, self._lines + len(piece.number))
        tabbed_rows = slice(self._tabbed_lines, self._tabbed_lines + piece.tabs.shape[1])
        self._number[rows] = piece.number
        self._sentence[rows] = piece.sentence
        self._start[rows] = piece.start
        self._end[rows] = piece.end
        self._well_formed[rows] = piece.well_formed
        self._tabs[:, tabbed_rows] = piece.tabs
        if piece.id_end is not None and self._id_end is None:
            self._id_end = np.empty_like(self._start)
            self._id_end[: rows.start] = self._tabs[0, : rows.start]
        if self._id_end is not None:
            self._id_end[rows] = piece.tabs[0] if piece.id_end is None else piece.id_end
        self._lines, self._tabbed_lines = rows.stop, tabbed_rows.stop

    def build(self, block_start: Positions, sha256: str = "") -> TokenLines:
        lines, tabs = slice(0, self._lines), self._tabs[:, : self._tabbed_lines]
        return TokenLines(
            data=self._data,
            number=self._number[lines],
            sentence=self._sentence[lines],
            start=self._start[lines],
            end=self._end[lines],
            id_end=tabs[0] if self._id_end is None else self._id_end[lines],
            well_formed=self._well_formed[lines],
            tabs=tabs,
            block_start=block_start,
            sha256=sha256,
        )
