"""IDs: which token lines are words, ranges or empty nodes, and whether they are numbered correctly.

The lines are processed in blocks, so that intermediate results take little memory for any number of lines.
Ranges are checked in `ranges`, after the words of all sentences have been counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from .decimals import parse_decimals
from .fields import Fields, Ints, Mask, Positions, indices
from .incidents import Collector, Incident
from .ranges import RangeBlock, RangeChecker, Ranges
from .source import Limits
from .token_lines import TokenLines

_USUAL_ID = 12
_BLOCK = 1 << 17


@dataclass(frozen=True, slots=True)
class Numbering:
    """Token lines by kind. Words count over the whole file, from 0."""

    is_word: Mask
    # Only valid ranges.
    ranges: Ranges
    # Sentences with a malformed line or ID, whose heads cannot be interpreted.
    broken: Mask


def number_words(lines: TokenLines, collector: Collector, limits: Limits, plain: bool = False) -> Numbering:
    """Classify the lines by their IDs, and report errors in the IDs; `plain` files have only words."""
    counter = _Counter(lines, collector, plain)
    for begin in range(0, len(lines), _BLOCK):
        counter.count(begin, min(begin + _BLOCK, len(lines)))
    words, broken = counter.words_in_sentence, counter.broken
    checker = RangeChecker(lines, words, broken, collector)
    ranges = _good_ranges(counter.ranges, checker)
    _check_for_words(lines, words, broken, collector)
    _check_sentence_sizes(lines, counter.is_word, words, collector, limits)
    return Numbering(counter.is_word, ranges, broken)


def _good_ranges(blocks: list[RangeBlock], checker: RangeChecker) -> Ranges:
    good: list[Ranges] = []
    # Blocks are released as they are checked, so that ranges are not in memory twice.
    blocks.reverse()
    while blocks:
        good.append(checker.check(blocks.pop()))
    empty = np.empty(0, dtype=np.int32)
    return Ranges(
        np.concatenate([empty, *(part.row for part in good)]),
        np.concatenate([empty, *(part.first_word for part in good)]),
        np.concatenate([empty, *(part.last_word for part in good)]),
    )


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a block: rows within the block, IDs, and sentences of the file."""

    rows: Ints
    id: Ints
    sentence: Ints


class _Counter:
    """Processes the lines block by block."""

    def __init__(self, lines: TokenLines, collector: Collector, plain: bool) -> None:
        self._lines = lines
        self._collector = collector
        self._plain = plain
        self.is_word = np.zeros(len(lines), dtype=bool)
        self.words_in_sentence: Positions = np.zeros(lines.sentences, dtype=lines.start.dtype)
        self.broken = np.zeros(lines.sentences, dtype=bool)
        self.ranges: list[RangeBlock] = []
        # How many words have been counted, and the ID and the sentence of the last one.
        self._words, self._last_id, self._last_sentence = 0, 0, -1

    def count(self, begin: int, end: int) -> None:
        lines = self._lines
        ids = lines.ids(begin, end)
        sentence = lines.sentence[begin:end].astype(np.int64)
        bad = ~lines.well_formed[begin:end]
        value, is_word = parse_decimals(ids)
        self.is_word[begin:end] = is_word
        others = indices(~is_word)
        rows = indices(is_word) if len(others) else np.arange(end - begin)
        words = _Words(rows, value[rows], sentence[rows]) if len(others) else _Words(rows, value, sentence)
        self._check_sequence(begin, words, bad)
        if len(others):
            self._classify_others(begin, others, ids[others], sentence[others], words, bad)
        self.broken[sentence[bad]] = True
        if len(words.rows):
            self._update_totals(words)

    def _update_totals(self, words: _Words) -> None:
        first = int(words.sentence[0])
        counts = np.bincount(words.sentence - first)
        self.words_in_sentence[first : first + len(counts)] += counts.astype(self.words_in_sentence.dtype)
        self._words += len(words.rows)
        self._last_id, self._last_sentence = int(words.id[-1]), int(words.sentence[-1])

    def _check_sequence(self, begin: int, words: _Words, bad: Mask) -> None:
        """Each ID is one more than that of the word before, or 1; so one gap causes one incident."""
        if not len(words.rows):
            return
        expected = np.ones_like(words.id)
        np.add(words.id[:-1], 1, out=expected[1:])
        expected[1:][words.sentence[1:] != words.sentence[:-1]] = 1
        if words.sentence[0] == self._last_sentence:
            expected[0] = self._last_id + 1
        wrong = indices(words.id != expected)
        bad[words.rows[wrong]] = True

        def describe(word: int) -> Incident:
            row = begin + int(words.rows[word])
            location, found = self._lines.location(row), self._lines.id_text(row)
            return Incident("id-out-of-sequence", *location, found, str(expected[word]))

        self._collector.add("id-out-of-sequence", wrong, describe)

    def _classify_others(
        self, begin: int, others: Ints, ids: Fields, sentence: Ints, words: _Words, bad: Mask
    ) -> None:
        """The lines of a block that are not words: ranges, empty nodes, or malformed."""
        first, second, kind = _split(ids)
        if self._plain:
            kind[:] = 0
        malformed = others[kind == 0]
        # A line without ten columns already has its own incident.
        malformed = malformed[~bad[malformed]]
        bad[malformed] = True
        self._collector.add("id-malformed", malformed + begin, self._describe_malformed)

        words_before = np.searchsorted(words.rows, others)
        id_before = self._ids_before(words_before, sentence, words)
        ranges = indices(kind == ord("-"))
        if len(ranges):
            dtype = self._lines.start.dtype
            self.ranges.append(
                RangeBlock(
                    row=(others[ranges] + begin).astype(dtype),
                    low=first[ranges].astype(dtype),
                    high=second[ranges].astype(dtype),
                    first_word=(words_before[ranges] + self._words).astype(dtype),
                    next_id=(id_before[ranges] + 1).astype(dtype),
                )
            )
        misplaced = indices((kind == ord(".")) & (first != id_before))

        def describe(other: int) -> Incident:
            row, host = begin + int(others[other]), int(id_before[other])
            found, expected = f"“{self._lines.id_text(row)}”", f"{host}.1, {host}.2, …"
            return Incident("empty-node-out-of-place", *self._lines.location(row), found, expected)

        self._collector.add("empty-node-out-of-place", misplaced, describe)

    def _describe_malformed(self, row: int) -> Incident:
        found = f"“{self._lines.id_text(row)}”"
        expected = "a number, because the format has only words" if self._plain else "3, 3-4 or 3.1"
        return Incident("id-malformed", *self._lines.location(row), found, expected)

    def _ids_before(self, words_before: Ints, sentence: Ints, words: _Words) -> Ints:
        """The ID of the last word before each line in its sentence; 0 if there is none."""
        id_of = np.append(self._last_id, words.id)[words_before]
        sentence_of = np.append(self._last_sentence, words.sentence)[words_before]
        return np.where(sentence_of == sentence, id_of, 0)


def _split(ids: Fields) -> tuple[Ints, Ints, Ints]:
    """IDs of the shape a-b or a.b: both numbers, and the byte between them (0 for any other shape)."""
    place = _first_mark(ids)
    mark = ids.data[ids.start + place]
    end = ids.start + ids.length
    after = np.minimum(ids.start + place + 1, end)
    first, first_good = parse_decimals(Fields(ids.data, ids.start, place))
    second, second_good = parse_decimals(Fields(ids.data, after, end - after))
    return first, second, np.where(first_good & second_good, mark, 0)


def _first_mark(ids: Fields) -> Ints:
    """Offset in each ID of the first `-` or `.`; the ID's length if there is none."""
    place = ids.length.copy()
    rows = np.arange(len(ids))
    for offset in range(_USUAL_ID):
        rows = rows[ids.length[rows] > offset]
        if not len(rows):
            return place
        byte = ids.data[ids.start[rows] + offset]
        hit = (byte == ord("-")) | (byte == ord("."))
        place[rows[hit]] = offset
        rows = rows[~hit]
    for row in rows.tolist():
        if match := re.search(rb"[-.]", ids.bytes_at(row)):
            place[row] = match.start()
    return place


def _check_for_words(lines: TokenLines, words: Positions, broken: Mask, collector: Collector) -> None:
    """A sentence may have lines but no words: only ranges and empty nodes."""
    wordless = words == 0
    if not wordless.any():
        return

    def describe(sentence: int) -> Incident:
        location = lines.location(_first_row(lines, sentence))
        return Incident("empty-sentence", *location, "no words", "at least one word")

    collector.add("empty-sentence", indices(wordless & ~broken), describe)
    broken |= wordless


def _check_sentence_sizes(
    lines: TokenLines, is_word: Mask, words: Positions, collector: Collector, limits: Limits
) -> None:
    def describe(sentence: int) -> Incident:
        row = _first_row(lines, sentence)
        first_word = row + int(np.argmax(is_word[row:]))
        found, expected = f"{words[sentence]:,} words", f"at most {limits.max_sentence_words:,}"
        return Incident("sentence-too-long", *lines.location(first_word), found, expected)

    collector.add("sentence-too-long", indices(words > limits.max_sentence_words), describe)


def _first_row(lines: TokenLines, sentence: int) -> int:
    # A number of another type would cause a copy of the array.
    return int(np.searchsorted(lines.sentence, lines.sentence.dtype.type(sentence)))
