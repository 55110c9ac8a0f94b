"""The positions of the columns of each token line.

In: the token lines of a file and their numbering. Out: a `Layout`, which locates words and their columns, and
the rows of the words and of the ranges in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .fields import Bytes, Fields, Ints, Mask, Positions, count_before, indices
from .numbering import Numbering
from .ranges import Ranges
from .token_lines import TABS, TokenLines

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)


@dataclass(frozen=True, slots=True)
class Layout:
    """Token lines of a file. Lines and sentences count from 0 here; messages count from 1."""

    data: Bytes
    line: Positions
    sentence: Ints
    start: Positions
    end: Positions
    # The positions of the nine tabs of each line; in a line with fewer, the line's end replaces missing ones.
    # One row per column: tabs[0] are the ends of the IDs.
    tabs: Positions
    well_formed: Mask
    # For each sentence, the byte at which its block (comments included) begins; one more marks the end.
    block_start: Ints
    all_well_formed: bool
    # The hash of the file, if its lines were rearranged.
    sha256: str = ""

    def __len__(self) -> int:
        return len(self.line)

    @property
    def sentences(self) -> int:
        return len(self.block_start) - 1

    def column(self, index: int, rows: Ints | None = None) -> Fields:
        """One column of every token line, or of the given rows in their order."""
        return self.columns(index, index, rows)

    def columns(self, first: int, last: int, rows: Ints | None = None) -> Fields:
        """Several adjacent columns as one field, including the tabs between them."""
        end = self.tabs[last] if last < TABS else self.end
        before = self.tabs[first - 1] if first else self.start - 1
        if rows is not None and len(rows) < len(self):
            end, before = end[rows], before[rows]
        start = np.add(before, 1, dtype=np.int64)
        if not self.all_well_formed:
            # A missing column is empty, at the end of its line.
            np.minimum(start, end, out=start)
        return Fields(self.data, start, np.subtract(end, start, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class WordLayout:
    """A layout, the rows of its words, its ranges, and the sentences whose heads cannot be interpreted."""

    layout: Layout
    word_rows: Ints
    ranges: Ranges
    broken: Mask


def build_word_layout(lines: TokenLines, numbering: Numbering) -> WordLayout:
    """Lay out the lines whose columns can be checked: all of them in a file that is valid so far.

    Of a line without ten columns only the ID is checked, and a file may consist of many such short lines. So
    it is dropped, unless it is the range of words that have ten columns.
    """
    keep = None
    ranges = numbering.ranges
    is_word = numbering.is_word
    if not lines.well_formed.all():
        keep, ranges = _without_ill_formed(lines, numbering)
        is_word = is_word[keep]
    layout = _build_layout(lines, keep)
    word_rows = np.arange(len(layout)) if is_word.all() else indices(is_word)
    return WordLayout(layout, word_rows, ranges, numbering.broken)


def _without_ill_formed(lines: TokenLines, numbering: Numbering) -> tuple[Mask, Ranges]:
    """Which lines to keep, and the ranges that keep some of their words, renumbered accordingly."""
    ranges = numbering.ranges
    # `count_before` renumbers words and lines.
    keeps_word = lines.well_formed[numbering.is_word]
    first_word = count_before(keeps_word, ranges.first_word)
    last_word = count_before(keeps_word, ranges.last_word + 1) - 1
    spans_words = last_word >= first_word
    rows = ranges.row[spans_words]
    keep = lines.well_formed.copy()
    keep[rows] = True
    return keep, Ranges(count_before(keep, rows), first_word[spans_words], last_word[spans_words])


def _build_layout(lines: TokenLines, keep: Mask | None) -> Layout:
    number, sentence, start, end = lines.number, lines.sentence, lines.start, lines.end
    well_formed, tabs = lines.well_formed, lines.tabs
    if keep is not None:
        number, sentence, start, end = number[keep], sentence[keep], start[keep], end[keep]
        well_formed = well_formed[keep]
        if not well_formed.all():
            tabs = np.tile(end, (TABS, 1))
            tabs[0] = lines.id_end[keep]
            tabs[:, well_formed] = lines.tabs
    return Layout(
        data=lines.data,
        line=number,
        sentence=sentence.astype(np.int64),
        start=start,
        end=end,
        tabs=tabs,
        well_formed=well_formed,
        block_start=lines.block_start.astype(np.int64),
        all_well_formed=bool(well_formed.all()),
        sha256=lines.sha256,
    )
