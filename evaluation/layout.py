"""From bytes to lines: which are blank, comments or tokens, in which sentence, and where their columns are.

In: the bytes of a file. Out: a `Layout`, arrays with one entry per token line (a line that is neither blank
nor a comment), and incidents for what is wrong at this level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.fields import Bytes, Fields, Ints, Mask, padded
from evaluation.incidents import Collector, Incident, visible
from evaluation.source import Limits

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)

_TABS = len(COLUMNS) - 1
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Layout:
    """The token lines of a file. Lines and sentences count from 0 here; people are told numbers from 1."""

    data: Bytes
    line: Ints
    sentence: Ints
    start: Ints
    end: Ints
    # Where the nine tabs of each line are; in a line with too few, the line's end stands for the missing.
    # One row a column: tabs[0] are the ends of the IDs.
    tabs: NDArray[np.int64]
    well_formed: Mask
    # For each sentence, the byte at which its block (comments included) begins; one more marks the end.
    block_start: Ints

    def __len__(self) -> int:
        return len(self.line)

    @property
    def sentences(self) -> int:
        return len(self.block_start) - 1

    def column(self, index: int) -> Fields:
        """One column of every token line."""
        start = self.start if index == 0 else self.tabs[index - 1] + 1
        end = self.end if index == _TABS else self.tabs[index]
        length = end - start
        if not self.all_well_formed:
            np.maximum(length, 0, out=length)
        return Fields(self.data, start, length)

    @property
    def all_well_formed(self) -> bool:
        return bool(self.well_formed.all())


def lay_out(raw: bytes, collector: Collector, limits: Limits) -> Layout:
    """Find lines, sentences and columns; tell the collector what is wrong with them."""
    if raw.startswith(_BYTE_ORDER_MARK):
        collector.add_one(Incident("byte-order-mark", 1, None, "U+FEFF", "no byte-order mark"))
        raw = raw[len(_BYTE_ORDER_MARK) :]
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    _check_encoding(raw, collector)
    data = padded(raw)
    line_start, line_end = _lines(data, len(raw))
    _check_line_lengths(line_start, line_end, collector, limits)

    is_blank = line_start == line_end
    is_token = ~is_blank & (data[line_start] != ord("#"))
    sentence_of_line, block_start = _sentences(is_blank, is_token, line_start, len(raw), collector)
    _check_comments(is_blank, is_token, sentence_of_line, data, line_start, line_end, collector)

    line = np.flatnonzero(is_token)
    start, end = line_start[line], line_end[line]
    tabs, found = _tabs(np.flatnonzero(data == ord("\t")), start, end)
    well_formed = found == _TABS
    layout = Layout(data, line, sentence_of_line[line], start, end, tabs, well_formed, block_start)
    _check_columns(layout, found, collector)
    return layout


def _lines(data: Bytes, size: int) -> tuple[Ints, Ints]:
    line_end = np.flatnonzero(data[:size] == ord("\n"))
    if size and data[size - 1] != ord("\n"):
        line_end = np.append(line_end, size)
    line_start = np.empty_like(line_end)
    line_start[:1] = 0
    line_start[1:] = line_end[:-1] + 1
    return line_start, line_end


def _sentences(
    is_blank: Mask, is_token: Mask, line_start: Ints, size: int, collector: Collector
) -> tuple[Ints, Ints]:
    """The sentence of each line, and where the block of each sentence begins.

    A blank line closes a sentence. Blocks without a token line are no sentences, and faults before the end.
    """
    blanks = np.flatnonzero(is_blank)
    # A blank line belongs to the block that it closes.
    block_of_line: Ints = np.cumsum(is_blank) - is_blank
    blocks = len(blanks) + 1
    tokens_in_block = np.bincount(block_of_line[is_token], minlength=blocks)
    begins = np.zeros(blocks + 1, dtype=np.int64)
    begins[1:blocks] = line_start[blanks] + 1
    begins[blocks] = size

    has_tokens = tokens_in_block > 0
    sentence_of_block = np.cumsum(has_tokens) - 1
    if has_tokens[-1]:
        last = int(np.flatnonzero(is_token)[-1])
        sentence = int(sentence_of_block[-1]) + 1
        collector.add_one(
            Incident("no-final-blank-line", last + 1, sentence, "the end of the file", "a blank line")
        )
    elif not has_tokens.any():
        collector.add_one(Incident("empty-file", None, None, "no token line", "at least one sentence"))
    empty = np.flatnonzero(~has_tokens[:-1])
    collector.add(
        "empty-sentence",
        empty,
        lambda block: Incident(
            "empty-sentence",
            int(blanks[block]) + 1,
            None,
            "a blank line",
            "the words of a sentence before it",
        ),
    )
    return sentence_of_block[block_of_line], np.append(begins[:-1][has_tokens], begins[-1])


def _tabs(tabs: Ints, start: Ints, end: Ints) -> tuple[NDArray[np.int64], Ints]:
    """The first nine tabs of each token line, and how many it has."""
    lines = len(start)
    if len(tabs) == _TABS * lines:
        table = tabs.reshape(lines, _TABS)
        # Sorted places, nine to a line, the first and the last of them inside it: then so are all.
        if bool(((table[:, 0] >= start) & (table[:, -1] < end)).all()):
            return np.ascontiguousarray(table.T), np.full(lines, _TABS)
    first = np.searchsorted(tabs, start)
    found = np.searchsorted(tabs, end) - first
    table = np.tile(end, (_TABS, 1))
    for column in range(_TABS):
        rows = np.flatnonzero(found > column)
        table[column, rows] = tabs[first[rows] + column]
    return table, found


def _check_encoding(raw: bytes, collector: Collector) -> None:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        lines = raw.split(b"\n")
        bad = [number for number, line in enumerate(lines) if not line.isascii() and not _is_utf8(line)]

        def describe(number: int) -> Incident:
            found = visible(lines[number].decode("utf-8", "backslashreplace"))
            return Incident("not-utf8", number + 1, None, f"“{found}”", "UTF-8")

        collector.add("not-utf8", bad, describe)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _check_line_lengths(start: Ints, end: Ints, collector: Collector, limits: Limits) -> None:
    collector.add(
        "line-too-long",
        np.flatnonzero(end - start > limits.max_line_bytes),
        lambda line: Incident(
            "line-too-long",
            line + 1,
            None,
            f"{int(end[line] - start[line]):,} bytes",
            f"at most {limits.max_line_bytes:,} bytes",
        ),
    )


def _check_comments(
    is_blank: Mask, is_token: Mask, sentence: Ints, data: Bytes, start: Ints, end: Ints, collector: Collector
) -> None:
    comments = np.flatnonzero(~is_blank & ~is_token)
    follows_token = comments[(comments > 0) & is_token[comments - 1]]
    if not len(follows_token):
        return
    # A run of comments behind a token line is misplaced as a whole.
    begins_run = np.append(True, np.diff(comments) > 1)
    run = np.cumsum(begins_run) - 1
    bad_run = is_token[comments[begins_run] - 1] & (comments[begins_run] > 0)

    def describe(line: int) -> Incident:
        text = data[start[line] : end[line]].tobytes().decode("utf-8", "replace")
        return Incident(
            "comment-inside-sentence",
            line + 1,
            int(sentence[line]) + 1,
            f"“{visible(text)}”",
            "comments before the first word only",
        )

    collector.add("comment-inside-sentence", comments[bad_run[run]], describe)


def _check_columns(layout: Layout, found: Ints, collector: Collector) -> None:
    def describe(row: int) -> Incident:
        columns = int(found[row]) + 1
        text = layout.data[layout.start[row] : layout.end[row]].tobytes().decode("utf-8", "replace")
        hint = ""
        if columns == 1 and "  " in text:
            hint = "The columns seem to be separated by spaces instead of tabs."
        elif columns == 1 and not text.strip():
            hint = "The line holds only white space: make it empty if it closes a sentence."
        elif columns < len(COLUMNS):
            missing = COLUMNS[columns:]
            hint = f"{' or '.join(missing[-2:])} seems to be missing." if len(missing) < 5 else ""
            if columns == 9:
                hint = "DEPS or MISC seems to be missing."
        elif columns > len(COLUMNS):
            hint = "A value seems to contain a tab."
        return Incident(
            "wrong-columns",
            int(layout.line[row]) + 1,
            int(layout.sentence[row]) + 1,
            f"{columns} column{'s' if columns != 1 else ''}",
            "10 columns",
            hint,
        )

    collector.add("wrong-columns", np.flatnonzero(~layout.well_formed), describe)
