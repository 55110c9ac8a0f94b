"""Words, trees and multi-word tokens as objects, for the few sentences that are displayed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..reading.layout import COLUMNS, DEPREL, FORM, HEAD, ID, UPOS
from ..reading.treebank import Treebank
from ..reading.trees import ROOT
from .glyphs import is_right_to_left

# Stands for a head that is outside the displayed words.
OUTSIDE = -2


@dataclass(frozen=True, slots=True)
class Judgement:
    """How a word compares with its partner in the other file."""

    is_aligned: bool = True
    # The keys in which the word and its partner disagree; empty for a word that has no partner.
    wrong: frozenset[str] = frozenset()
    # False for a system word outside the gold sentence.
    is_inside: bool = True
    # What constraints did to the arc, as `evaluation.cascades.sentence` names it; empty elsewhere.
    effect: str = ""

    @property
    def has_error(self) -> bool:
        return self.is_inside and (not self.is_aligned or bool(self.wrong))


NO_ERRORS = Judgement()


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its columns, and how it compares with the other file."""

    columns: tuple[str, ...]
    # The index of the head among the tree's words, or ROOT or OUTSIDE.
    head: int
    begins_sentence: bool = False
    judgement: Judgement = NO_ERRORS

    @property
    def id(self) -> str:
        return self.columns[ID]

    @property
    def form(self) -> str:
        return self.columns[FORM]

    @property
    def upos(self) -> str:
        return self.columns[UPOS]

    @property
    def head_id(self) -> str:
        return self.columns[HEAD]

    @property
    def relation(self) -> str:
        return self.columns[DEPREL]


@dataclass(frozen=True, slots=True)
class Range:
    """A multi-word token over the words `first` to `last` of its tree."""

    first: int
    last: int
    form: str


@dataclass(frozen=True, slots=True)
class Tree:
    """The words of one sentence, or of consecutive sentences."""

    words: tuple[Word, ...]
    ranges: tuple[Range, ...] = ()

    @property
    def is_right_to_left(self) -> bool:
        return is_right_to_left(word.form for word in self.words)


def tree_of(treebank: Treebank, sentence: int) -> Tree:
    """The tree of one sentence."""
    first, last = treebank.sentence_first_word[sentence : sentence + 2].tolist()
    return tree_between(treebank, first, last, [NO_ERRORS] * (last - first))


def tree_between(treebank: Treebank, begin: int, end: int, judgements: Sequence[Judgement]) -> Tree:
    """The words from `begin` up to `end` of a file, and the ranges over them."""
    return Tree(tuple(_words(treebank, begin, end, judgements)), tuple(_ranges(treebank, begin, end)))


def _words(treebank: Treebank, begin: int, end: int, judgements: Sequence[Judgement]) -> Iterator[Word]:
    columns = [treebank.column(index) for index in range(len(COLUMNS))]
    for word, judgement in zip(range(begin, end), judgements, strict=True):
        parent = int(treebank.parent[word])
        if parent != ROOT:
            parent = parent - begin if begin <= parent < end else OUTSIDE
        begins = int(treebank.sentence_first_word[treebank.sentence[word]]) == word
        yield Word(tuple(column.text_at(word) for column in columns), parent, begins, judgement)


def _ranges(treebank: Treebank, begin: int, end: int) -> Iterator[Range]:
    forms = treebank.layout.column(FORM)
    tokens = np.unique(treebank.token[begin:end][treebank.in_range[begin:end]])
    for token in tokens.tolist():
        first, next_first = treebank.token_first[token : token + 2].tolist()
        yield Range(first - begin, next_first - 1 - begin, forms.text_at(int(treebank.token_rows[token])))
