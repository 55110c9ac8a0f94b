"""From bytes to lines: which are blank, comments or token lines, and in which sentence each token line is.

In: the bytes of a file. Out: `TokenLines`, arrays with one entry per token line (a line that is neither blank
nor a comment), and incidents for errors at this level. The file is scanned piece by piece; blank lines and
comments are not stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial

import numpy as np

from .encoding import check_encoding
from .fields import PADDING, Bytes, Ints, Mask, Positions, indices
from .formats import CONLLU, NINE_COLUMNS, Format
from .incidents import Collector, Incident, visible_bytes
from .nine_columns import rearrange_nine_columns
from .source import Limits
from .tabs import columns_hint, find_line_ends, find_tabs, split_columns
from .token_lines import TABS, PieceOfLines, TokenLineBuilder, TokenLines

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Allocating memory of the size of the file would take longer than scanning it.
_PIECE = 1 << 19
_SEARCHED = 1 << 18
# Files with shorter lines on average contain few words; their token lines are counted before allocation.
_SHORT = 10


def find_lines(raw: bytearray, collector: Collector, limits: Limits, format: Format = CONLLU) -> TokenLines:
    """Find lines, sentences and tabs, and report errors in them. `raw` is modified.

    The columns of the lines are arranged as in CoNLL-U.
    """
    if raw.startswith(_BYTE_ORDER_MARK):
        collector.add_incident(Incident("byte-order-mark", 1, None, "U+FEFF", "no byte-order mark"))
        del raw[: len(_BYTE_ORDER_MARK)]
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    check_encoding(raw, collector)
    sha256 = ""
    if format.columns == NINE_COLUMNS.columns:
        sha256 = hashlib.sha256(raw).hexdigest()
        raw = rearrange_nine_columns(raw)
    size = len(raw)
    raw += bytes(PADDING)
    data = np.frombuffer(raw, dtype=np.uint8)
    data.flags.writeable = False
    scan = _Scan(data, size, collector, limits, format)
    begin = 0
    while begin < size:
        end = raw.find(b"\n", min(begin + _PIECE, size), size) + 1 or size
        scan.scan_piece(begin, end)
        begin = end
    return scan.finish(sha256)


class _Scan:
    """Scans a file piece by piece; pieces consist of complete lines."""

    def __init__(self, data: Bytes, size: int, collector: Collector, limits: Limits, format: Format) -> None:
        self._format = format
        self._data = data
        self._size = size
        self._collector = collector
        self._limits = limits
        self._builder = TokenLineBuilder(data, size, _max_token_lines(data[:size]))
        self._empty_blocks = collector.empty_copy()
        self._block_starts: list[Positions] = []
        # The counts of the previous pieces.
        self._lines = 0
        self._sentences = 0
        # Whether there is a token line after the last blank line, its number, and the start of its block.
        self._is_open = False
        self._last_token_line = 0
        self._block_start = 0

    def scan_piece(self, begin: int, end: int) -> None:
        line_end = find_line_ends(self._data, begin, end)
        if not len(line_end) or line_end[-1] != end - 1:
            line_end = np.append(line_end, end)
        line_start = np.empty_like(line_end)
        line_start[0] = begin
        np.add(line_end[:-1], 1, out=line_start[1:])
        if end - begin > self._limits.max_line_bytes:
            self._check_lengths(line_start, line_end)

        is_blank = line_start == line_end
        is_comment = self._data[line_start] == ord("#")
        is_token = ~(is_blank | is_comment)
        tokens, blanks, comments = indices(is_token), indices(is_blank), indices(is_comment)
        sentence = self._sentences_of(tokens, blanks, line_end)
        if len(comments):
            self._check_comments(comments, is_token, tokens, sentence, line_start, line_end)
        tabs = find_tabs(self._data, begin, end, self._builder.dtype)
        number, start, token_end = tokens + self._lines, line_start[tokens], line_end[tokens]
        token_lines = split_columns(tabs, number, sentence, start, token_end)
        if token_lines.columns is not None:
            self._check_columns(token_lines, token_lines.columns)
        self._builder.add(token_lines)
        self._advance(token_lines, blanks, line_end)

    def _advance(self, token_lines: PieceOfLines, blanks: Ints, line_end: Ints) -> None:
        """Update the state that the next piece needs."""
        if len(blanks):
            self._is_open = False
            self._block_start = int(line_end[blanks[-1]]) + 1
        if len(token_lines.number):
            self._sentences = int(token_lines.sentence[-1]) + 1
            self._last_token_line = int(token_lines.number[-1])
            self._is_open |= int(token_lines.start[-1]) >= self._block_start
        self._lines += len(line_end)

    def _sentences_of(self, tokens: Ints, blanks: Ints, line_end: Ints) -> Ints:
        """The sentence of each token line of a piece. A blank line closes the block before it."""
        after_blank = np.searchsorted(tokens, blanks)
        empty = np.diff(after_blank, prepend=-1 if self._is_open else 0) == 0
        if empty.any():
            describe = partial(_describe_empty_block, self._lines)
            self._empty_blocks.add("empty-sentence", blanks[empty], describe)
        begins = np.zeros(len(tokens) + 1, dtype=bool)
        begins[after_blank] = True
        begins[0] |= not self._is_open
        begins = begins[:-1]
        block_start = np.append(self._block_start, line_end[blanks] + 1)
        block = np.searchsorted(blanks, tokens[begins])
        self._block_starts.append(block_start[block].astype(self._builder.dtype))
        sentence: Ints = np.cumsum(begins)
        sentence += self._sentences - 1
        return sentence

    def _check_columns(self, token_lines: PieceOfLines, columns: Ints) -> None:
        def describe(row: int) -> Incident:
            number = int(columns[row]) - (TABS + 1 - len(self._format.columns))
            return Incident(
                "wrong-columns",
                int(token_lines.number[row]) + 1,
                int(token_lines.sentence[row]) + 1,
                f"{number} column{'s' if number != 1 else ''}",
                f"{len(self._format.columns)} columns",
                columns_hint(
                    number, self._data[token_lines.start[row] : token_lines.end[row]], self._format.columns
                ),
            )

        self._collector.add("wrong-columns", indices(~np.asarray(token_lines.well_formed)), describe)

    def _check_lengths(self, start: Ints, end: Ints) -> None:
        limit = self._limits.max_line_bytes

        def describe(line: int) -> Incident:
            found = f"{int(end[line] - start[line]):,} bytes"
            return Incident("line-too-long", self._lines + line + 1, None, found, f"at most {limit:,} bytes")

        self._collector.add("line-too-long", indices(end - start > limit), describe)

    def _check_comments(
        self, comments: Ints, is_token: Mask, tokens: Ints, sentence: Ints, start: Ints, end: Ints
    ) -> None:
        """A comment is misplaced if the last line before it that is not a comment is a token line."""
        if self._format.plain:
            self._refuse_comments(comments, start, end)
            return
        follows_token = is_token[comments - 1]
        if comments[0] == 0:
            follows_token[0] = self._is_open
        if not follows_token.any():
            return
        # All comments of a run after a token line are misplaced.
        run = np.append(0, np.cumsum(np.diff(comments) > 1))
        begins_run = np.append(True, np.diff(run) > 0)
        misplaced = comments[follows_token[begins_run][run]]

        def describe(line: int) -> Incident:
            before = int(np.searchsorted(tokens, line)) - 1
            return Incident(
                "comment-inside-sentence",
                self._lines + line + 1,
                int(sentence[before]) + 1 if before >= 0 else self._sentences,
                f"“{visible_bytes(self._data[start[line] : end[line]])}”",
                "comments before the first word only",
            )

        self._collector.add("comment-inside-sentence", misplaced, describe)

    def _refuse_comments(self, comments: Ints, start: Ints, end: Ints) -> None:
        def describe(line: int) -> Incident:
            found = f"“{visible_bytes(self._data[start[line] : end[line]])}”"
            expected = f"no comments, which {self._format.title} does not have"
            return Incident("comment-not-allowed", self._lines + line + 1, None, found, expected)

        self._collector.add("comment-not-allowed", comments, describe)

    def finish(self, sha256: str = "") -> TokenLines:
        if self._sentences:
            self._collector.merge(self._empty_blocks)
        else:
            # In an empty file the blank lines are not reported.
            expected = "at least one sentence"
            self._collector.add_incident(Incident("empty-file", None, None, "no token lines", expected))
        if self._is_open:
            place = self._last_token_line + 1, self._sentences
            found, expected = "the end of the file", "a blank line"
            self._collector.add_incident(Incident("no-final-blank-line", *place, found, expected))
        self._block_starts.append(np.array([self._size], dtype=self._builder.dtype))
        return self._builder.build(np.concatenate(self._block_starts), sha256)


def _max_token_lines(data: Bytes) -> int:
    """An upper bound on the number of token lines, which is exact if lines are short."""
    lines = 1 + _count(data, lambda piece: piece == ord("\n"))
    if lines * _SHORT < len(data):
        return lines
    # A line begins after every line end, and at the first byte.
    return 1 + _count(data, _begin_token_lines)


def _count(data: Bytes, mark: Callable[[Bytes], Mask]) -> int:
    # Pieces overlap by one byte, so that consecutive bytes can be compared.
    pieces = (data[begin : begin + _SEARCHED + 1] for begin in range(0, len(data), _SEARCHED))
    return sum(int(np.count_nonzero(mark(piece))) for piece in pieces)


def _begin_token_lines(piece: Bytes) -> Mask:
    begins: Mask = piece[:-1] == ord("\n")
    begins &= piece[1:] != ord("\n")
    begins &= piece[1:] != ord("#")
    return begins


def _describe_empty_block(lines_before: int, line: int) -> Incident:
    found, expected = "a blank line", "a sentence before it"
    return Incident("empty-sentence", lines_before + line + 1, None, found, expected)
