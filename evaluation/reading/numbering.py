"""IDs: which token lines are words, ranges or empty nodes, and whether they are numbered as they must be."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from evaluation.reading.decimals import decimals
from evaluation.reading.fields import Fields, Ints, Mask, indices
from evaluation.reading.incidents import Collector, Incident, visible
from evaluation.reading.layout import ID, Layout

MAX_RANGE_WORDS = 100
_USUAL_ID = 12


@dataclass(frozen=True, slots=True)
class Numbering:
    """Rows of the layout by kind. Words count over the whole file, from 0."""

    # Rows of the words, and for each range its row and its first and last word.
    word_rows: Ints
    range_rows: Ints
    range_first: Ints
    range_last: Ints
    # Sentences in which a line or an ID is broken: what their heads mean is anybody's guess.
    broken: Mask


def number(layout: Layout, collector: Collector) -> Numbering:
    """Sort the lines by their IDs; tell the collector what is wrong with the IDs."""
    ids = layout.column(ID)
    value, is_word = decimals(ids)
    other = indices(~is_word)
    bad = ~layout.well_formed
    first, second, kind = _split(ids[other])
    is_range, is_empty_node = kind == ord("-"), kind == ord(".")
    range_rows, empty_rows = other[is_range], other[is_empty_node]
    malformed = other[kind == 0]
    # A line without ten columns has an incident of its own already.
    malformed = malformed[~bad[malformed]]
    bad[malformed] = True
    collector.add(
        "id-malformed",
        malformed,
        lambda row: _incident("id-malformed", layout, row, _quoted(ids, row), "3, 3-4 or 3.1"),
    )

    word_rows = indices(is_word) if len(other) else np.arange(len(layout))
    word_id = value[word_rows]
    sentence = layout.sentence[word_rows]
    expected = _expected_ids(word_id, sentence)
    wrong = indices(word_id != expected)
    bad[word_rows[wrong]] = True
    collector.add(
        "id-out-of-sequence",
        wrong,
        lambda word: _incident(
            "id-out-of-sequence",
            layout,
            int(word_rows[word]),
            visible(ids.text_at(int(word_rows[word]))),
            str(expected[word]),
        ),
    )

    low, high = first[is_range], second[is_range]
    ranges = _Ranges(layout, collector, word_rows, word_id, range_rows, low, high, ids)
    good_ranges = ranges.check(bad)
    _check_empty_nodes(layout, collector, word_rows, word_id, empty_rows, first[is_empty_node], ids)
    broken = np.zeros(layout.sentences, dtype=bool)
    broken[layout.sentence[bad]] = True
    _check_for_words(layout, collector, sentence, broken)
    return Numbering(
        word_rows,
        range_rows[good_ranges],
        ranges.first[good_ranges],
        ranges.last[good_ranges],
        broken,
    )


def _split(ids: Fields) -> tuple[Ints, Ints, Ints]:
    """IDs of the shape a-b or a.b: both numbers, and the byte between them (0 where it is neither)."""
    if not len(ids):
        return ids.length, ids.length, ids.length
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


def _expected_ids(word_id: Ints, sentence: Ints) -> Ints:
    """One more than the word before, or 1 at the start: so one gap gives one incident, not a cascade."""
    expected = np.ones_like(word_id)
    np.add(word_id[:-1], 1, out=expected[1:])
    expected[1:][sentence[1:] != sentence[:-1]] = 1
    return expected


@dataclass(slots=True)
class _Ranges:
    layout: Layout
    collector: Collector
    word_rows: Ints
    word_id: Ints
    rows: Ints
    low: Ints
    high: Ints
    ids: Fields

    # The word whose line comes next after each range, and the last word that the range claims.
    first: Ints = field(init=False)
    last: Ints = field(init=False)

    def __post_init__(self) -> None:
        self.first = np.searchsorted(self.word_rows, self.rows)
        self.last = self.first + (self.high - self.low)

    def check(self, bad: Mask) -> Mask:
        """Which ranges are good; the rows of the others are marked in `bad`."""
        good = np.ones(len(self.rows), dtype=bool)
        if not len(self.rows):
            return good
        sentence = self.layout.sentence[self.rows]
        words_in_sentence = np.bincount(self.layout.sentence[self.word_rows], minlength=self.layout.sentences)
        past_sentence = np.cumsum(words_in_sentence)[sentence]
        next_id = _id_before(self.layout, self.word_rows, self.word_id, self.rows) + 1
        # What a range reaches beyond its sentence must not count against the ranges of the next one.
        reach = np.maximum.accumulate(np.minimum(np.maximum(self.first, self.last), past_sentence - 1))
        overlaps = np.zeros(len(self.rows), dtype=bool)
        overlaps[1:] = (self.first[1:] <= reach[:-1]) & (sentence[1:] == sentence[:-1])

        faults = {
            "range-backwards": self.high < self.low,
            "range-too-long": self.high - self.low + 1 > MAX_RANGE_WORDS,
            "range-overlaps": overlaps,
            "range-past-sentence": self.last >= past_sentence,
            "range-out-of-place": self.low != next_id,
        }

        def describe(id: str, r: int) -> Incident:
            expected = {
                "range-backwards": f"an end that is at least {self.low[r]}",
                "range-too-long": f"at most {MAX_RANGE_WORDS} words",
                "range-overlaps": "ranges without common words",
                "range-past-sentence": f"an end that is at most {words_in_sentence[sentence[r]]}",
                "range-out-of-place": f"a range that begins with {next_id[r]}",
            }
            row = int(self.rows[r])
            return _incident(id, self.layout, row, _quoted(self.ids, row), expected[id])

        for id, at_fault in faults.items():
            # One fault a range: the later kinds mostly follow from the earlier ones.
            rows = indices(at_fault & good)
            good[rows] = False
            bad[self.rows[rows]] = True
            self.collector.add(id, rows, partial(describe, id))
        return good


def _id_before(layout: Layout, word_rows: Ints, word_id: Ints, rows: Ints) -> Ints:
    """For each row, the ID of the last word before it in its sentence; 0 where there is none."""
    before = np.searchsorted(word_rows, rows) - 1
    # The entry behind the last word is also the one before the first: a word of no sentence.
    sentence_of = np.append(layout.sentence[word_rows], -1)
    id_of = np.append(word_id, 0)
    return np.where(sentence_of[before] == layout.sentence[rows], id_of[before], 0)


def _check_for_words(layout: Layout, collector: Collector, sentence: Ints, broken: Mask) -> None:
    """A sentence may have lines and yet no word: ranges and empty nodes alone."""
    wordless = np.bincount(sentence, minlength=layout.sentences) == 0
    if not wordless.any():
        return
    first_row = np.searchsorted(layout.sentence, np.arange(layout.sentences))
    collector.add(
        "empty-sentence",
        indices(wordless & ~broken),
        lambda s: _incident("empty-sentence", layout, int(first_row[s]), "no word", "at least one word"),
    )
    broken |= wordless


def _check_empty_nodes(
    layout: Layout,
    collector: Collector,
    word_rows: Ints,
    word_id: Ints,
    rows: Ints,
    claimed: Ints,
    ids: Fields,
) -> None:
    if not len(rows):
        return
    host = _id_before(layout, word_rows, word_id, rows)
    collector.add(
        "empty-node-out-of-place",
        indices(claimed != host),
        lambda r: _incident(
            "empty-node-out-of-place",
            layout,
            int(rows[r]),
            _quoted(ids, int(rows[r])),
            f"{host[r]}.1, {host[r]}.2, …",
        ),
    )


def _quoted(fields: Fields, row: int) -> str:
    return f"“{visible(fields.text_at(row))}”"


def _incident(id: str, layout: Layout, row: int, found: str, expected: str) -> Incident:
    return Incident(id, int(layout.line[row]) + 1, int(layout.sentence[row]) + 1, found, expected)
