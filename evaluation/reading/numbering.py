"""IDs: which token lines are words, ranges or empty nodes, and whether they are numbered as they must be.

The lines are looked at in blocks, so that what is worked out on the way takes little memory however many
lines there are. Ranges are checked, in `ranges`, when the words of all sentences have been counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from .decimals import decimals
from .fields import Fields, Ints, Mask, Places, indices
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
    # Those that are good.
    ranges: Ranges
    # Sentences in which a line or an ID is broken: what their heads mean is anybody's guess.
    broken: Mask


def number(lines: TokenLines, collector: Collector, limits: Limits) -> Numbering:
    """Sort the lines by their IDs; report what is wrong with the IDs."""
    counter = _Counter(lines, collector)
    for begin in range(0, len(lines), _BLOCK):
        counter.count(begin, min(begin + _BLOCK, len(lines)))
    words, broken = counter.words_in_sentence, counter.broken
    checker = RangeChecker(lines, words, broken, collector)
    ranges = _good_ranges(counter.ranges, checker)
    _check_for_words(lines, words, broken, collector)
    _check_sentence_sizes(lines, counter.is_word, words, collector, limits)
    return Numbering(counter.is_word, ranges, broken)


def _good_ranges(found: list[RangeBlock], checker: RangeChecker) -> Ranges:
    good: list[Ranges] = []
    # Blocks are given up as they are checked, lest all ranges be in memory twice.
    found.reverse()
    while found:
        good.append(checker.good(found.pop()))
    nothing = np.empty(0, dtype=np.int32)
    return Ranges(
        np.concatenate([nothing, *(part.row for part in good)]),
        np.concatenate([nothing, *(part.first_word for part in good)]),
        np.concatenate([nothing, *(part.last_word for part in good)]),
    )


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a block: rows within the block, IDs, and sentences of the file."""

    rows: Ints
    id: Ints
    sentence: Ints


class _Counter:
    """Goes through the lines block by block."""

    def __init__(self, lines: TokenLines, collector: Collector) -> None:
        self._lines = lines
        self._collector = collector
        self.is_word = np.zeros(len(lines), dtype=bool)
        self.words_in_sentence: Places = np.zeros(lines.sentences, dtype=lines.start.dtype)
        self.broken = np.zeros(lines.sentences, dtype=bool)
        self.ranges: list[RangeBlock] = []
        # How many words have been counted, and the ID and the sentence of the last one.
        self._words, self._last_id, self._last_sentence = 0, 0, -1

    def count(self, begin: int, end: int) -> None:
        lines = self._lines
        ids = lines.ids(begin, end)
        sentence = lines.sentence[begin:end].astype(np.int64)
        bad = ~lines.well_formed[begin:end]
        value, is_word = decimals(ids)
        self.is_word[begin:end] = is_word
        others = indices(~is_word)
        rows = indices(is_word) if len(others) else np.arange(end - begin)
        words = _Words(rows, value[rows], sentence[rows]) if len(others) else _Words(rows, value, sentence)
        self._check_sequence(begin, words, bad)
        if len(others):
            self._sort_others(begin, others, ids[others], sentence[others], words, bad)
        self.broken[sentence[bad]] = True
        if len(words.rows):
            self._take_over(words)

    def _take_over(self, words: _Words) -> None:
        first = int(words.sentence[0])
        found = np.bincount(words.sentence - first)
        self.words_in_sentence[first : first + len(found)] += found.astype(self.words_in_sentence.dtype)
        self._words += len(words.rows)
        self._last_id, self._last_sentence = int(words.id[-1]), int(words.sentence[-1])

    def _check_sequence(self, begin: int, words: _Words, bad: Mask) -> None:
        """Each ID is one more than that of the word before, or 1: so one gap gives one incident."""
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
            place, found = self._lines.place(row), self._lines.id_text(row)
            return Incident("id-out-of-sequence", *place, found, str(expected[word]))

        self._collector.add("id-out-of-sequence", wrong, describe)

    def _sort_others(
        self, begin: int, others: Ints, ids: Fields, sentence: Ints, words: _Words, bad: Mask
    ) -> None:
        """Lines of a block that are no words: ranges, empty nodes, or malformed."""
        first, second, kind = _split(ids)
        malformed = others[kind == 0]
        # A line without ten columns has an incident of its own already.
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
            return Incident("empty-node-out-of-place", *self._lines.place(row), found, expected)

        self._collector.add("empty-node-out-of-place", misplaced, describe)

    def _describe_malformed(self, row: int) -> Incident:
        found = f"“{self._lines.id_text(row)}”"
        return Incident("id-malformed", *self._lines.place(row), found, "3, 3-4 or 3.1")

    def _ids_before(self, words_before: Ints, sentence: Ints, words: _Words) -> Ints:
        """The ID of the last word before each of some lines in its sentence; 0 where there is none."""
        id_of = np.append(self._last_id, words.id)[words_before]
        sentence_of = np.append(self._last_sentence, words.sentence)[words_before]
        return np.where(sentence_of == sentence, id_of, 0)


def _split(ids: Fields) -> tuple[Ints, Ints, Ints]:
    """IDs of the shape a-b or a.b: both numbers, and the byte between them (0 where it is neither)."""
    place = _first_mark(ids)
    mark = ids.data[ids.start + place]
    end = ids.start + ids.length
    behind = np.minimum(ids.start + place + 1, end)
    first, first_good = decimals(Fields(ids.data, ids.start, place))
    second, second_good = decimals(Fields(ids.data, behind, end - behind))
    return first, second, np.where(first_good & second_good, mark, 0)


def _first_mark(ids: Fields) -> Ints:
    """Offset in each ID of the first `-` or `.`; the ID's length where there is none."""
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
        if found := re.search(rb"[-.]", ids.bytes_at(row)):
            place[row] = found.start()
    return place


def _check_for_words(lines: TokenLines, words: Places, broken: Mask, collector: Collector) -> None:
    """A sentence may have lines and yet no word: ranges and empty nodes alone."""
    wordless = words == 0
    if not wordless.any():
        return

    def describe(sentence: int) -> Incident:
        place = lines.place(_first_row(lines, sentence))
        return Incident("empty-sentence", *place, "no words", "at least one word")

    collector.add("empty-sentence", indices(wordless & ~broken), describe)
    broken |= wordless


def _check_sentence_sizes(
    lines: TokenLines, is_word: Mask, words: Places, collector: Collector, limits: Limits
) -> None:
    def describe(sentence: int) -> Incident:
        row = _first_row(lines, sentence)
        first_word = row + int(np.argmax(is_word[row:]))
        found, expected = f"{words[sentence]:,} words", f"at most {limits.max_sentence_words:,}"
        return Incident("sentence-too-long", *lines.place(first_word), found, expected)

    collector.add("sentence-too-long", indices(words > limits.max_sentence_words), describe)


def _first_row(lines: TokenLines, sentence: int) -> int:
    # A number of another type would make a copy of all the others.
    return int(np.searchsorted(lines.sentence, lines.sentence.dtype.type(sentence)))
