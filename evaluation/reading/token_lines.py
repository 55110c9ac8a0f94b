"""What is kept of the token lines of a file: a few integers of four bytes each.

A token line may be as short as `x`, so that whatever is kept of every line weighs many times the line itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .fields import Bytes, Fields, Ints, Mask, Places
from .incidents import visible_bytes

# Ten columns are separated by so many tabs.
TABS = 9


@dataclass(frozen=True, slots=True)
class TokenLines:
    """The token lines of a file. Lines and sentences count from 0 here; people are told numbers from 1."""

    data: Bytes
    number: Places
    sentence: Places
    start: Places
    end: Places
    # Where the ID of each line ends: at its first tab, or with the line.
    id_end: Places
    well_formed: Mask
    # Where the nine tabs of each well-formed line are, one row a column: tabs[1] are the ends of the forms.
    tabs: Places
    # For each sentence, the byte at which its block (comments included) begins; one more marks the end.
    block_start: Places

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
        """An ID as it is shown to people."""
        return visible_bytes(self.data[self.start[row] : self.id_end[row]])

    def place(self, row: int) -> tuple[int, int]:
        """The numbers of line and sentence as people are told them."""
        return int(self.number[row]) + 1, int(self.sentence[row]) + 1


@dataclass(frozen=True, slots=True)
class PieceOfLines:
    """The token lines of one piece of a file, in its order."""

    number: Ints
    sentence: Ints
    start: Ints
    end: Ints
    # The tabs of the lines that have nine. Unless all of them have: how many columns each line has, and where
    # its ID ends.
    tabs: Places
    columns: Ints | None = None
    id_end: Places | None = None

    @property
    def well_formed(self) -> Mask | bool:
        return True if self.columns is None else self.columns == TABS + 1


class Keeper:
    """Fills arrays that are large enough from the beginning: joining pieces would take twice the memory."""

    def __init__(self, data: Bytes, size: int, most_lines: int) -> None:
        self._data = data
        self.dtype = np.dtype(np.int32 if size < 2**31 else np.int64)
        self._number: Places = np.empty(most_lines, dtype=self.dtype)
        self._sentence: Places = np.empty(most_lines, dtype=self.dtype)
        self._start: Places = np.empty(most_lines, dtype=self.dtype)
        self._end: Places = np.empty(most_lines, dtype=self.dtype)
        self._well_formed = np.empty(most_lines, dtype=bool)
        # A line of ten columns has at least ten bytes, so there is not more of this than the file can fill.
        self._tabs: Places = np.empty((TABS, min(most_lines, size // (TABS + 1) + 1)), dtype=self.dtype)
        # As long as every line has its tabs, the ends of the IDs are among them.
        self._id_end: Places | None = None
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

    def token_lines(self, block_start: Places) -> TokenLines:
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
        )
