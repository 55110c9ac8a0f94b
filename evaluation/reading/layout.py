"""From bytes to lines: which are blank, comments or tokens, in which sentence, and where their columns are.

In: the bytes of a file. Out: a `Layout`, arrays with one entry per token line (a line that is neither blank
nor a comment), and incidents for what is wrong at this level.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evaluation.reading.fields import PADDING, Bytes, Fields, Ints, Mask, indices
from evaluation.reading.incidents import Collector, Incident, visible
from evaluation.reading.source import Limits

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)

_TABS = len(COLUMNS) - 1
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_PIECE = 1 << 18

# Places in a file take half the memory while the file is below two gigabytes.
Places = NDArray[np.int32] | NDArray[np.int64]


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
    tabs: Places
    well_formed: Mask
    # For each sentence, the byte at which its block (comments included) begins; one more marks the end.
    block_start: Ints
    all_well_formed: bool

    def __len__(self) -> int:
        return len(self.line)

    @property
    def sentences(self) -> int:
        return len(self.block_start) - 1

    def column(self, index: int, rows: Ints | None = None) -> Fields:
        """One column of every token line, or of some of them, named in their order."""
        return self.columns(index, index, rows)

    def columns(self, first: int, last: int, rows: Ints | None = None) -> Fields:
        """Several columns that follow one another as one field, with the tabs between them."""
        end = self.tabs[last] if last < _TABS else self.end
        before = self.tabs[first - 1] if first else self.start - 1
        if rows is not None and len(rows) < len(self):
            end, before = end[rows], before[rows]
        start = np.add(before, 1, dtype=np.int64)
        if not self.all_well_formed:
            # A column that is missing is empty, at the end of its line.
            np.minimum(start, end, out=start)
        return Fields(self.data, start, np.subtract(end, start, dtype=np.int64))


def lay_out(raw: bytearray, collector: Collector, limits: Limits) -> Layout:
    """Find lines, sentences and columns; tell the collector what is wrong with them. `raw` is used up."""
    if raw.startswith(_BYTE_ORDER_MARK):
        collector.add_one(Incident("byte-order-mark", 1, None, "U+FEFF", "no byte-order mark"))
        del raw[: len(_BYTE_ORDER_MARK)]
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    _check_encoding(raw, collector)
    size = len(raw)
    raw += bytes(PADDING)
    data = np.frombuffer(raw, dtype=np.uint8)
    data.flags.writeable = False
    line_start, line_end = _lines(data, size)
    _check_line_lengths(line_start, line_end, collector, limits)

    is_blank = line_start == line_end
    is_token = ~is_blank & (data[line_start] != ord("#"))
    sentence_of_line, block_start = _sentences(is_blank, is_token, line_start, size, collector)
    _check_comments(is_blank, is_token, sentence_of_line, data, line_start, line_end, collector)

    line = indices(is_token)
    start, end = line_start[line], line_end[line]
    tabs, found = _tabs(_places(data[:size], ord("\t")), start, end)
    good = found == _TABS
    sentence = sentence_of_line[line]
    layout = Layout(data, line, sentence, start, end, tabs, good, block_start, bool(good.all()))
    _check_columns(layout, found, collector)
    return layout


def _lines(data: Bytes, size: int) -> tuple[Ints, Ints]:
    line_end = _places(data[:size], ord("\n")).astype(np.int64)
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
    blanks = indices(is_blank)
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
        last = int(indices(is_token)[-1])
        sentence = int(sentence_of_block[-1]) + 1
        collector.add_one(
            Incident("no-final-blank-line", last + 1, sentence, "the end of the file", "a blank line")
        )
    elif not has_tokens.any():
        collector.add_one(Incident("empty-file", None, None, "no token line", "at least one sentence"))
        return sentence_of_block[block_of_line], begins[-1:]
    empty = indices(~has_tokens[:-1])
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


def _places(data: Bytes, byte: int) -> Places:
    """Where a byte occurs. In pieces: fresh memory of the file's size would cost more than the search."""
    dtype = np.int32 if len(data) < 2**31 else np.int64
    found = [np.empty(0, dtype=dtype)]
    for begin in range(0, len(data), _PIECE):
        within = indices(data[begin : begin + _PIECE] == byte)
        found.append(np.add(within, begin, dtype=dtype, casting="same_kind"))
    return np.concatenate(found)


def _tabs(tabs: Places, start: Ints, end: Ints) -> tuple[Places, Ints]:
    """The first nine tabs of each token line, and how many it has."""
    lines = len(start)
    if len(tabs) == _TABS * lines:
        table = tabs.reshape(lines, _TABS)
        # Sorted places, nine to a line, the first and the last of them inside it: then so are all.
        if bool(((table[:, 0] >= start) & (table[:, -1] < end)).all()):
            return table.T.copy(), np.full(lines, _TABS)
    first = np.searchsorted(tabs, start)
    found = np.searchsorted(tabs, end) - first
    table = np.tile(end.astype(tabs.dtype), (_TABS, 1))
    for column in range(_TABS):
        rows = indices(found > column)
        table[column, rows] = tabs[first[rows] + column]
    return table, found


def _check_encoding(raw: bytearray, collector: Collector) -> None:
    """Decode the file in pieces, so that no string of all of it is made; a bad piece line by line."""
    begin = len(raw) if raw.isascii() else 0
    with memoryview(raw) as view:
        while begin < len(raw):
            end = raw.find(b"\n", begin + _PIECE) + 1 or len(raw)
            if not _is_utf8(view[begin:end]):
                lines = bytes(view[begin:end]).split(b"\n")
                bad = [number for number, line in enumerate(lines) if not _is_utf8(line)]
                before = raw.count(b"\n", 0, begin)
                collector.add("not-utf8", bad, partial(_describe_encoding, lines, before))
            begin = end


def _describe_encoding(lines: list[bytes], lines_before: int, number: int) -> Incident:
    found = visible(lines[number].decode("utf-8", "backslashreplace"))
    return Incident("not-utf8", lines_before + number + 1, None, f"“{found}”", "UTF-8")


def _is_utf8(piece: bytes | memoryview) -> bool:
    try:
        str(piece, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _check_line_lengths(start: Ints, end: Ints, collector: Collector, limits: Limits) -> None:
    collector.add(
        "line-too-long",
        indices(end - start > limits.max_line_bytes),
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
    comments = indices(~is_blank & ~is_token)
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
        return Incident(
            "wrong-columns",
            int(layout.line[row]) + 1,
            int(layout.sentence[row]) + 1,
            f"{columns} column{'s' if columns != 1 else ''}",
            "10 columns",
            _why_columns(columns, text),
        )

    collector.add("wrong-columns", indices(~layout.well_formed), describe)


def _why_columns(columns: int, text: str) -> str:
    """A guess at why a line does not have ten columns, or nothing."""
    if columns > len(COLUMNS):
        return "A value seems to contain a tab."
    if not text.strip():
        return "The line holds only white space: make it empty if it closes a sentence."
    if columns == 1 and ("  " in text or len(text.split(" ")) >= len(COLUMNS)):
        return "The columns seem to be separated by spaces instead of tabs."
    if columns == DEPS:
        return "DEPS and MISC seem to be missing."
    if columns == MISC:
        return "DEPS or MISC seems to be missing."
    return ""
