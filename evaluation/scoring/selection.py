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


class UnitCounter:
    """Counts selected items by unit. What several metrics have in common is counted once."""

    def __init__(self, units: Units) -> None:
        numbers = np.arange(units.number + 1)
        # Items are in the order of their units: those of unit `u` are first[u] to first[u + 1].
        self._gold_first = {items: np.searchsorted(unit, numbers) for items, unit in units.gold.items()}
        self._system_first = {items: np.searchsorted(unit, numbers) for items, unit in units.system.items()}
        self._of_counted: dict[CountedWords, tuple[Ints, Ints, Ints, Ints]] = {}

    def count(self, selection: Selection) -> Ints:
        """Gold, system, correct and aligned in every unit: units × 4."""
        counted = selection.counted
        if counted not in self._of_counted:
            gold_first = self._gold_first[selection.items]
            pair_first = np.searchsorted(selection.paired, gold_first)
            self._of_counted[counted] = (
                _count_between(gold_first, counted.gold),
                _count_between(self._system_first[selection.items], counted.system),
                _count_between(pair_first, counted.aligned),
                pair_first,
            )
        gold, system, aligned, pair_first = self._of_counted[counted]
        # All words of a metric without keys are correct where they are aligned.
        correct = (
            aligned if selection.correct is counted.aligned else _count_between(pair_first, selection.correct)
        )
        return np.stack(
            [
                gold,
                gold if selection.accuracy else system,
                correct,
                aligned if selection.has_aligned else correct,
            ],
            axis=1,
        )


def _count_between(first: Ints, mask: Mask) -> Ints:
    """The number of marked entries from each position to the next."""
    before = np.zeros(len(mask) + 1, dtype=np.int64)
    np.cumsum(mask, out=before[1:])
    return np.diff(before[first])


IN_EVERY_BREAKDOWN = "LA"
"""Label accuracy, whatever the profile measures: it shows which relations are mislabelled."""


def select(comparison: Comparison, metric: WordMetric | SpanMetric) -> Selection:
    """The items that a metric counts."""
    if isinstance(metric, WordMetric):
        return _words(comparison, metric)
    return _tokens(comparison) if metric.items == "tokens" else _sentences(comparison)


def word_selections(comparison: Comparison) -> Iterator[tuple[str, Selection]]:
    """Those of the word metrics of a profile, with label accuracy."""
    label_accuracy = OPTIONAL[IN_EVERY_BREAKDOWN]
    assert isinstance(label_accuracy, WordMetric)
    metrics = {**comparison.profile.word_metrics}
    metrics.setdefault(IN_EVERY_BREAKDOWN, label_accuracy)
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
