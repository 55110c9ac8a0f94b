"""The page of one sentence: gold and the chosen systems, drawn one above the other and as a table.

In: a field, the chosen systems, the number of a sentence. Out: `Sentence`. A long sentence is shown in
pieces; a system whose region is too large to be compared here is left out, and the page says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import evaluation
from evaluation.showing.aligned_trees import AlignedTrees, align_trees, single_tree
from evaluation.showing.draw import draw_aligned
from evaluation.showing.excerpt import InvalidExcerpt
from evaluation.showing.passage import Passage
from evaluation.showing.system_sentences import SystemSentences
from sharedtask.analysis.cut import gold_tree, passage_of
from sharedtask.analysis.field import Entrant, Field
from sharedtask.analysis.segmentation import Cut, cuts_of
from sharedtask.analysis.words import Row, rows_of

PIECE = 150
"""Rows of words that are drawn at a time."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A chosen system on the sentence; without a passage where it cannot be compared here."""

    entrant: Entrant
    passage: Passage | None
    errors: int
    words_differ: bool
    sentence_differs: bool
    is_narrow: bool
    """Its sentence is too long to be read, and only what belongs to the gold sentence is shown."""

    @property
    def cuts(self) -> list[Cut]:
        return cuts_of(self.passage) if self.passage and self.words_differ else []


@dataclass(frozen=True, kw_only=True)
class Sentence:
    field: Field
    number: int
    """From 0; readers are told numbers from 1."""
    compared: Sequence[Compared]
    whole: AlignedTrees
    begin: int

    @property
    def piece(self) -> AlignedTrees:
        return self.whole.piece(self.begin, self.begin + PIECE)

    @property
    def pieces(self) -> list[tuple[int, int]]:
        """First and last row of each piece, from 1; empty where there is only one."""
        size = len(self.whole.rows)
        ends = [(first + 1, min(first + PIECE, size)) for first in range(0, size, PIECE)]
        return ends if len(ends) > 1 else []

    @property
    def names(self) -> list[str]:
        return ["gold", *(one.entrant.name for one in self.compared if one.passage)]

    @property
    def is_right_to_left(self) -> bool:
        return self.whole.trees[0].is_right_to_left

    @property
    def rows(self) -> list[Row]:
        return list(rows_of(self.piece))

    def svg(self, *, standalone: bool = False) -> str:
        title = f"Trees of sentence {self.number + 1} of {self.field.test_set.code}"
        return draw_aligned(self.piece, self.names, title=title, standalone=standalone)


def sentence_of(
    field: Field,
    chosen: Sequence[Entrant],
    found: Mapping[str, SystemSentences],
    number: int,
    *,
    row: int = 1,
) -> Sentence:
    """`row` is any row of the piece to be shown, from 1."""
    compared = [compare(field, one, found[one.analysis], number) for one in chosen]
    passages = [one.passage for one in compared if one.passage is not None]
    whole = align_trees(passages) if passages else single_tree(gold_tree(field, number))
    begin = (min(max(row, 1), len(whole.rows)) - 1) // PIECE * PIECE
    return Sentence(field=field, number=number, compared=compared, whole=whole, begin=begin)


def compare(field: Field, entrant: Entrant, found: SystemSentences, number: int) -> Compared:
    passage = None
    with suppress(InvalidExcerpt, evaluation.InvalidFile, FileNotFoundError):
        passage = passage_of(field, entrant, found, number)
    return Compared(
        entrant=entrant,
        passage=passage,
        errors=int(found.errors[number]),
        words_differ=bool(found.words_differ[number]),
        sentence_differs=bool(found.sentence_differs[number]),
        is_narrow=bool(found.lines_end[number]),
    )
