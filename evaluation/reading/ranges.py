"""Ranges, the lines of multi-word tokens: whether each comes before its first word and spans valid words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from .fields import Ints, Mask, Positions, indices
from .incidents import Collector, Incident
from .token_lines import TokenLines

MAX_RANGE_WORDS = 100


@dataclass(frozen=True, slots=True)
class Ranges:
    """The token line of each range, and its first and its last word, counted over the whole file."""

    row: Positions
    first_word: Positions
    last_word: Positions

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeBlock:
    """The ranges of one block of lines."""

    row: Positions
    # The first and the last ID of the range.
    low: Positions
    high: Positions
    # The word whose line comes next, and the ID that it should have.
    first_word: Positions
    next_id: Positions


class RangeChecker:
    """Checks ranges block by block, in the order of the file."""

    def __init__(
        self, lines: TokenLines, words_in_sentence: Positions, broken: Mask, collector: Collector
    ) -> None:
        self._lines = lines
        self._words_in_sentence = words_in_sentence
        self._past_sentence = np.cumsum(words_in_sentence, dtype=words_in_sentence.dtype)
        self._broken = broken
        self._collector = collector
        # The last word that a range before the block has reached, and the sentence of that range.
        self._reach, self._sentence = -1, -1

    def check(self, block: RangeBlock) -> Ranges:
        """The valid ranges. The others are reported, and their sentences are marked as broken."""
        low, high, first = (part.astype(np.int64) for part in (block.low, block.high, block.first_word))
        sentence = self._lines.sentence[block.row]
        past_sentence = self._past_sentence[sentence]
        last = first + (high - low)
        errors = {
            "range-backwards": high < low,
            "range-too-long": high - low + 1 > MAX_RANGE_WORDS,
            "range-overlaps": self._overlaps(first, last, sentence, past_sentence),
            "range-past-sentence": last >= past_sentence,
            "range-out-of-place": low != block.next_id,
        }
        good = np.ones(len(first), dtype=bool)
        for id, wrong in errors.items():
            # One error per range: the later kinds mostly follow from the earlier ones.
            bad = indices(wrong & good)
            good[bad] = False
            self._broken[sentence[bad]] = True
            self._collector.add(id, bad, partial(self._describe, block, id))
        return Ranges(block.row[good], block.first_word[good], last[good].astype(block.row.dtype))

    def _overlaps(self, first: Ints, last: Ints, sentence: Positions, past_sentence: Positions) -> Mask:
        # A range that extends past its sentence must not affect the ranges of the next one.
        reach = np.minimum(np.maximum(first, last), past_sentence - 1)
        reach = np.maximum.accumulate(np.append(self._reach, reach))
        overlaps: Mask = first <= reach[:-1]
        overlaps &= sentence == np.append(self._sentence, sentence[:-1])
        self._reach, self._sentence = int(reach[-1]), int(sentence[-1])
        return overlaps

    def _describe(self, block: RangeBlock, id: str, number: int) -> Incident:
        row = int(block.row[number])
        words = self._words_in_sentence[self._lines.sentence[row]]
        expected = {
            "range-backwards": f"an end of at least {block.low[number]}",
            "range-too-long": f"at most {MAX_RANGE_WORDS} words",
            "range-overlaps": "ranges that share no words",
            "range-past-sentence": f"an end of at most {words}",
            "range-out-of-place": f"a range that begins at {block.next_id[number]}",
        }
        found = f"“{self._lines.id_text(row)}”"
        return Incident(id, *self._lines.location(row), found, expected[id])
