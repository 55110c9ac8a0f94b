"""An index of a system's errors by gold sentence, for lists, filters and extracting sentences.

In: a `Comparison`. Out: `SystemSentences`, one entry per gold sentence, to be stored; as secret as gold.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..packing import Packed
from ..reading.fields import Ints, Mask
from ..reading.trees import ROOT
from ..scoring.by_sentence import figures_by_sentence, metrics_of_sentences
from ..scoring.compare import Comparison
from ..scoring.metric import Floats, SpanMetric
from ..scoring.selection import select
from ..scoring.units import gold_sentence_of_tokens
from .closed_regions import LARGE, closed_regions, is_clean
from .gold_sentences import line_of
from .relation_index import shared_relation_codes, unique_pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSentences(Packed):
    FORMAT = "system sentences 3"

    # Words with a wrong head, or a wrong relation where the profile compares relations: missed gold words or
    # superfluous system words, whichever are more.
    errors: Ints
    # For each gold word, whether it is such an error: bits, eight words per number.
    wrong_words: Ints
    # 1 if tokens or words are segmented differently from gold; 1 if the sentence itself is.
    words_differ: Ints
    sentence_differs: Ints
    # A hash that is equal for systems with the same heads of the gold words, and relations if compared.
    decisions: Ints
    # Pairs of a sentence and a relation that is missed or predicted wrongly in it.
    wrong_sentence: Ints
    wrong: Ints
    relations: list[str]
    # Closed regions: the first gold sentence of each, and its start in the system file.
    region_gold: Ints
    region_begin: Ints
    region_line: Ints
    # For sentences in regions that are too large, the system's lines for them; 0 for other sentences.
    lines_begin: Ints
    lines_end: Ints
    # Metrics that say more than errors do, and their figures: metrics × sentences, NaN where there is none.
    metrics: list[str]
    figures: Floats

    def figures_by(self, metric: str) -> Floats:
        """One per sentence; NaN everywhere if there is no such metric."""
        if metric not in self.metrics:
            return np.full(len(self.errors), np.nan)
        by_metric: Floats = self.figures[self.metrics.index(metric)]
        return by_metric

    def is_wrong(self, words: int) -> Mask:
        """For each gold word, whether it is wrong; `words` is their number."""
        return np.unpackbits(self.wrong_words.astype(np.uint8), count=words).astype(bool)

    def region_of(self, sentence: int) -> int:
        return int(np.searchsorted(self.region_gold, sentence, side="right")) - 1


def system_sentences(comparison: Comparison, *, large: int = LARGE) -> SystemSentences:
    gold, system, pairs = comparison.gold, comparison.system, comparison.alignment
    right = comparison.head & comparison.relation if _has_relations(comparison) else comparison.head
    gold_right, system_right = np.zeros(gold.words, dtype=bool), np.zeros(system.words, dtype=bool)
    gold_right[pairs.gold[right]] = system_right[pairs.system[right]] = True
    system_sentence = gold_sentence_of_tokens(comparison)[system.token]
    size = gold.sentences
    in_gold, in_system = np.diff(gold.sentence_first_word), np.bincount(system_sentence, minlength=size)
    regions = closed_regions(comparison)
    names, gold_codes, system_codes = shared_relation_codes(gold, system)
    missed, superfluous = ~gold_right, ~system_right
    wrong_sentence, wrong = unique_pairs(
        [
            (gold.sentence[missed], gold_codes[missed]),
            (system_sentence[superfluous], system_codes[superfluous]),
        ],
        len(names),
    )
    region_begin = system.layout.block_start[regions.system]
    is_large = np.repeat(
        (np.diff(region_begin) > large) | (np.diff(gold.layout.block_start[regions.gold]) > large),
        np.diff(regions.gold),
    )
    lines = _lines(comparison)
    metrics = metrics_of_sentences(comparison)
    return SystemSentences(
        errors=np.maximum(in_gold, in_system) - np.bincount(gold.sentence[gold_right], minlength=size),
        wrong_words=np.packbits(missed).astype(np.int64),
        words_differ=_words_differ(comparison, in_gold, in_system),
        sentence_differs=_sentence_differs(comparison),
        decisions=_decisions(comparison),
        wrong_sentence=wrong_sentence,
        wrong=wrong,
        relations=names,
        region_gold=regions.gold,
        region_begin=region_begin,
        region_line=line_of(system, region_begin),
        lines_begin=np.where(is_large, lines[0], 0),
        lines_end=np.where(is_large, lines[1], 0),
        metrics=metrics,
        figures=_figures(comparison, metrics),
    )


def _has_relations(comparison: Comparison) -> bool:
    return "relation" in comparison.profile.displayed


def _figures(comparison: Comparison, metrics: Sequence[str]) -> Floats:
    figures = figures_by_sentence(comparison) if metrics else {}
    rows = [figures[name] for name in metrics]
    return np.array(rows, dtype=np.float64).reshape(len(rows), comparison.gold.sentences)


def _lines(comparison: Comparison) -> tuple[Ints, Ints]:
    """Begin and end, in the system file, of the system's tokens for each sentence.

    An empty range (1, 1) for a sentence that does not begin and end with system tokens, or whose alignment
    crosses its borders.
    """
    gold, system, pairs = comparison.gold, comparison.system, comparison.alignment
    bounds = pairs.gold_surface.start[gold.sentence_first_token]
    starts = pairs.system_surface.start
    token = np.searchsorted(starts, bounds)
    good = starts[token] == bounds
    good[good] = is_clean(comparison, gold.sentence_first_token[good], token[good])
    closed = good[:-1] & good[1:]
    first, last_word = token[:-1][closed], system.token_first[token[1:][closed]] - 1
    begin, end = np.ones((2, gold.sentences), dtype=np.int64)
    begin[closed] = system.layout.start[system.token_rows[first]]
    end[closed] = system.layout.end[system.word_rows[last_word]] + 1
    return begin, end


def _words_differ(comparison: Comparison, in_gold: Ints, in_system: Ints) -> Ints:
    pairs, gold = comparison.alignment, comparison.gold
    aligned = np.bincount(gold.sentence[pairs.gold], minlength=gold.sentences)
    of_token = gold.layout.sentence[gold.token_rows]
    tokens = np.bincount(of_token, minlength=gold.sentences)
    same_tokens = np.bincount(of_token[pairs.gold_tokens], minlength=gold.sentences)
    differ: Mask = (aligned != in_gold) | (aligned != in_system) | (tokens != same_tokens)
    return differ.astype(np.int64)


def _sentence_differs(comparison: Comparison) -> Ints:
    differs = np.ones(comparison.gold.sentences, dtype=np.int64)
    sentences = select(comparison, SpanMetric("sentences"))
    differs[sentences.paired] = 0
    return differs


def _decisions(comparison: Comparison) -> Ints:
    """Sums of hashes over the words of a sentence; each hash includes the position of its word."""
    gold, system, pairs = comparison.gold, comparison.system, comparison.alignment
    gold_of = np.full(system.words + 1, gold.words + 1, dtype=np.int64)
    gold_of[pairs.system] = pairs.gold
    parent = system.parent[pairs.system]
    head = np.where(parent == ROOT, gold.words, gold_of[parent])
    relations = system.universal_relations
    compared = [name if _has_relations(comparison) else "" for name in relations.names]
    hashes = np.array([zlib.crc32(name.encode()) for name in compared], dtype=np.uint64)
    relation = hashes[relations.codes[pairs.system]]
    mixed = (
        (pairs.gold.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        + (head.astype(np.uint64) + np.uint64(1)) * np.uint64(0xC2B2AE3D27D4EB4F)
    ) ^ (relation * np.uint64(0x165667B19E3779F9))
    of_word = np.zeros(gold.words, dtype=np.uint64)
    of_word[pairs.gold] = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    sums = np.add.reduceat(of_word, gold.sentence_first_word[:-1])
    return (sums >> np.uint64(32)).astype(np.int64)
