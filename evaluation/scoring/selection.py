"""The items that metrics count, as masks: words, tokens or sentences, and which pairs of them are correct."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..reading.fields import Ints, Mask, indices
from .compare import Comparison, CountedWords
from .metric import Items, SpanMetric, Units, WordMetric
from .profiles import OPTIONAL
from .tally import Tally


@dataclass(frozen=True, slots=True)
class Selection:
    """The items that one metric counts: words, tokens or sentences, as masks.

    The masks `counted.aligned` and `correct` are over pairs of items; `paired` has the gold item of each.
    """

    items: Items
    counted: CountedWords
    paired: Ints
    correct: Mask
    # Whether the number of pairs is meaningful.
    has_aligned: bool
    # Whether gold alone decides what counts, so that `system` is set equal to `gold`.
    accuracy: bool = False

    @property
    def tally(self) -> Tally:
        gold, system, aligned = self.counted.sizes
        correct = int(np.count_nonzero(self.correct))
        return Tally(gold, gold if self.accuracy else system, correct, aligned if self.has_aligned else None)

    def by_unit(self, units: Units) -> Ints:
        """Gold, system, correct and aligned in every unit: units × 4."""
        of_gold, of_system = units.gold[self.items], units.system[self.items]
        counted, of_pair = self.counted, of_gold[self.paired]
        gold = units.add_up(of_gold[counted.gold])
        correct = units.add_up(of_pair[self.correct])
        system = gold if self.accuracy else units.add_up(of_system[counted.system])
        aligned = units.add_up(of_pair[counted.aligned]) if self.has_aligned else correct
        return np.stack([gold, system, correct, aligned], axis=1)


def select(comparison: Comparison, metric: WordMetric | SpanMetric) -> Selection:
    """The items that a metric counts."""
    if isinstance(metric, WordMetric):
        return _words(comparison, metric)
    return _tokens(comparison) if metric.items == "tokens" else _sentences(comparison)


def word_selections(comparison: Comparison) -> Iterator[tuple[str, Selection]]:
    """Those of the word metrics of a profile, with label accuracy."""
    label_accuracy = OPTIONAL["LA"]
    assert isinstance(label_accuracy, WordMetric)
    metrics = {**comparison.profile.word_metrics}
    metrics.setdefault("LA", label_accuracy)
    for name, metric in metrics.items():
        yield name, _words(comparison, metric)


def _spans(items: Literal["tokens", "sentences"], gold: int, system: int, matched: Ints) -> Selection:
    everything = CountedWords(*(np.ones(count, dtype=bool) for count in (gold, system, len(matched))))
    return Selection(items, everything, matched, everything.aligned, has_aligned=False)


def _tokens(comparison: Comparison) -> Selection:
    gold, system = comparison.gold.tokens, comparison.system.tokens
    return _spans("tokens", gold, system, comparison.alignment.gold_tokens)


def _sentences(comparison: Comparison) -> Selection:
    gold, system = comparison.gold, comparison.system
    alignment = comparison.alignment
    gold_start = alignment.gold_surface.start[gold.sentence_first_token]
    system_start = alignment.system_surface.start[system.sentence_first_token]
    # Sentence boundaries increase strictly, so a span is the same if both its ends are consecutive
    # boundaries of the other side.
    place = np.searchsorted(system_start, gold_start[:-1])
    same = (system_start[place] == gold_start[:-1]) & (
        system_start[np.minimum(place + 1, system.sentences)] == gold_start[1:]
    )
    return _spans("sentences", gold.sentences, system.sentences, indices(same))


def _words(comparison: Comparison, metric: WordMetric) -> Selection:
    keep = metric.keep
    if metric.punctuation_option and comparison.options.punctuation != "all":
        keep = comparison.options.punctuation
    counted = comparison.counted_words(keep)
    correct = counted.aligned
    for key in metric.keys:
        correct = correct & comparison.agrees(key)
    paired = comparison.alignment.gold
    return Selection("words", counted, paired, correct, bool(metric.keys), metric.accuracy)
