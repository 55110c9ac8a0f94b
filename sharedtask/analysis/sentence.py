"""The page of one sentence: gold and the chosen systems, as trees one below the other and as a table.

In: an analysed set, the chosen systems, the number of a sentence. Out: `Sentence`. A long sentence is shown
in pieces; a system whose region is too large to be compared here is left out, and the page says so.
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
from sharedtask.analysis.analysed_set import AnalysedSet, AnalysedSystem
from sharedtask.analysis.excerpts import gold_tree, passage_of
from sharedtask.analysis.segmentation import SegmentationDifference, segmentation_differences
from sharedtask.analysis.word_table import WordRow, word_rows

PIECE = 150
"""Rows of words that are drawn at a time."""


@dataclass(frozen=True, kw_only=True)
class ComparedSystem:
    """A chosen system on the sentence; without a passage where it cannot be compared here."""

    system: AnalysedSystem
    passage: Passage | None
    errors: int
    words_differ: bool
    sentence_differs: bool
    is_narrow: bool
    """Its own sentence is too long to be read, and only its words for the gold sentence are shown."""

    @property
    def differences(self) -> list[SegmentationDifference]:
        return segmentation_differences(self.passage) if self.passage and self.words_differ else []


@dataclass(frozen=True, kw_only=True)
class Sentence:
    analysed: AnalysedSet
    number: int
    """From 0; on pages, numbers are from 1."""
    compared: Sequence[ComparedSystem]
    trees: AlignedTrees
    """Of all words, also of those that are not in this piece."""
    begin: int

    @property
    def piece(self) -> AlignedTrees:
        return self.trees.piece(self.begin, self.begin + PIECE)

    @property
    def pieces(self) -> list[tuple[int, int]]:
        """First and last row of each piece, from 1; empty if there is only one."""
        size = len(self.trees.rows)
        pieces = [(first + 1, min(first + PIECE, size)) for first in range(0, size, PIECE)]
        return pieces if len(pieces) > 1 else []

    @property
    def names(self) -> list[str]:
        return ["gold", *(compared.system.name for compared in self.compared if compared.passage)]

    @property
    def is_right_to_left(self) -> bool:
        return self.trees.trees[0].is_right_to_left

    @property
    def rows(self) -> list[WordRow]:
        return list(word_rows(self.piece))

    def svg(self, *, standalone: bool = False) -> str:
        title = f"Trees of sentence {self.number + 1} of {self.analysed.test_set.code}"
        return draw_aligned(self.piece, self.names, title=title, standalone=standalone)


def read_sentence(
    analysed: AnalysedSet,
    chosen: Sequence[AnalysedSystem],
    sentences: Mapping[str, SystemSentences],
    number: int,
    *,
    row: int = 1,
) -> Sentence:
    """`row` is any row of the piece to show, from 1."""
    compared = [compare(analysed, system, sentences[system.analysis], number) for system in chosen]
    passages = [each.passage for each in compared if each.passage is not None]
    trees = align_trees(passages) if passages else single_tree(gold_tree(analysed, number))
    begin = (min(max(row, 1), len(trees.rows)) - 1) // PIECE * PIECE
    return Sentence(analysed=analysed, number=number, compared=compared, trees=trees, begin=begin)


def compare(
    analysed: AnalysedSet, system: AnalysedSystem, sentences: SystemSentences, number: int
) -> ComparedSystem:
    passage = None
    with suppress(InvalidExcerpt, evaluation.InvalidFile, FileNotFoundError):
        passage = passage_of(analysed, system, sentences, number)
    return ComparedSystem(
        system=system,
        passage=passage,
        errors=int(sentences.errors[number]),
        words_differ=bool(sentences.words_differ[number]),
        sentence_differs=bool(sentences.sentence_differs[number]),
        is_narrow=bool(sentences.lines_end[number]),
    )
