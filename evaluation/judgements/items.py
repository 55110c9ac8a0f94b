"""Sentences for people to judge: those in which two outputs of the same text have different trees.

In: the outputs of two systems. Out: `Candidate`s, the sentences that both outputs delimit alike and analyse
differently, punctuation apart; and a draw from them. Gold plays no part, so nothing about it can be inferred
from the sentences that were chosen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, zip_longest

import numpy as np

from ..reading.fields import Ints, Mask
from ..reading.treebank import Treebank
from ..scoring.compare import Comparison
from ..scoring.score import compare
from .analyse import LENGTH_BINS

_COLUMNS, _DEPS = 10, 8


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """Sentences count from 0; the span is in bytes of the text without spaces."""

    first: int
    """The number of the sentence in the first output."""
    second: int
    begin: int
    end: int
    words: int
    """In the first output."""


def find_candidates(first: Treebank, second: Treebank, profile: str) -> list[Candidate]:
    """In the order of the text."""
    comparison = compare(first, second, profile)
    left, right = sentence_spans(comparison)
    number_of = {span: number for number, span in enumerate(right)}
    differs = _differing_sentences(comparison)
    words = np.diff(first.sentence_first_word).tolist()
    return [
        Candidate(first=number, second=number_of[span], begin=span[0], end=span[1], words=words[number])
        for number, span in enumerate(left)
        if span in number_of and differs[number]
    ]


def sentence_spans(comparison: Comparison) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Begin and end of every sentence of both files, in bytes of the text without spaces."""
    alignment = comparison.alignment
    return (
        _spans(alignment.gold_surface.start, comparison.gold),
        _spans(alignment.system_surface.start, comparison.system),
    )


def _spans(start: Ints, treebank: Treebank) -> list[tuple[int, int]]:
    edges = start[treebank.sentence_first_token].tolist()
    return list(pairwise(edges))


def _differing_sentences(comparison: Comparison) -> Mask:
    """The sentences of the first file with a word, other than punctuation, that differs in the second."""
    pairs = comparison.alignment
    agrees = comparison.agrees("head") & comparison.agrees("relation")
    counted = comparison.counted_words("form")
    same_first = np.zeros(comparison.gold.words, dtype=bool)
    same_first[pairs.gold[agrees]] = True
    differs = np.zeros(comparison.gold.sentences, dtype=bool)
    differs[comparison.gold.sentence[counted.gold & ~same_first]] = True
    has_partner = np.zeros(comparison.system.words, dtype=bool)
    has_partner[pairs.system] = True
    for word in np.flatnonzero(counted.system & ~has_partner).tolist():
        differs[_sentence_at(comparison, word)] = True
    return differs


def _sentence_at(comparison: Comparison, word: int) -> int:
    """The sentence of the first file that contains the beginning of a word of the second."""
    alignment = comparison.alignment
    position = alignment.system_surface.start[comparison.system.token[word]]
    edges = alignment.gold_surface.start[comparison.gold.sentence_first_token]
    return int(np.searchsorted(edges, position, side="right")) - 1


def draw_items(
    candidates: Sequence[Candidate], number: int, *, seed: int, key: str, by_length: bool = False
) -> list[Candidate]:
    """So many of the candidates, or all if there are fewer.

    The order is that of the SHA-256 of `seed key begin`, so that anybody can repeat the draw. By length, bins
    of sentence lengths take turns, so that long sentences are not crowded out by short ones.
    """

    def place(candidate: Candidate) -> str:
        return hashlib.sha256(f"{seed} {key} {candidate.begin}".encode()).hexdigest()

    order = sorted(candidates, key=place)
    if not by_length:
        return order[:number]
    bins: list[list[Candidate]] = [[] for _ in range(len(LENGTH_BINS) + 1)]
    for candidate in order:
        bins[sum(candidate.words > edge for edge in LENGTH_BINS)].append(candidate)
    turns = chain.from_iterable(zip_longest(*bins))
    return [candidate for candidate in turns if candidate is not None][:number]


def anonymous_source(treebank: Treebank, sentence: int) -> str:
    """The lines of a sentence without anything that a tree does not show, such as comments and MISC.

    A system may write its name there.
    """
    lines = []
    for line in treebank.sentence_source(sentence).split("\n"):
        cells = line.split("\t")
        if len(cells) == _COLUMNS and "." not in cells[0]:
            lines.append("\t".join([*cells[:_DEPS], "_", "_"]))
    return "\n".join(lines) + "\n\n"


def texts_between(text: str, spans: Iterable[tuple[int, int]]) -> list[str]:
    """The parts of a raw text at these spans, which count its bytes without white space."""
    positions: list[int] = []
    for index, character in enumerate(text):
        if not character.isspace():
            positions.extend([index] * len(character.encode()))
    return [
        text[positions[begin] : positions[end - 1] + 1] if begin < end <= len(positions) else ""
        for begin, end in spans
    ]
