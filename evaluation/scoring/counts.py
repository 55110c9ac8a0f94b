"""Integer counts of each metric, over the whole file or by unit of resampling.

The unit is the gold sentence, or the gold document. Gold words, aligned and correct pairs count in the gold
word's unit; a system word counts in the unit that holds the first character of its token. So the counts by
unit add up exactly to the counts of the file, regardless of how the system segments sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..packing import narrow, pack, unpack
from ..reading.fields import Ints, Mask, indices
from ..reading.treebank import Surface, Treebank
from .compare import Comparison, CountedWords
from .profiles import LABEL_ACCURACY, Metric

Unit = Literal["sentence", "document"]
ENOUGH_DOCUMENTS = 20
"""A bootstrap over fewer documents says little about other documents."""

_FORMAT = "counts 2"


@dataclass(frozen=True, slots=True)
class Tally:
    """Integer counts of one metric, and the fractions that follow from them."""

    gold: int
    system: int
    correct: int
    # None for Tokens, Sentences and Words, where it has no meaning.
    aligned: int | None = None

    @property
    def precision(self) -> float:
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.correct / (self.system + self.gold) if self.system + self.gold else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        if self.aligned is None:
            return None
        return self.correct / self.aligned if self.aligned else 0.0

    def as_dict(self) -> dict[str, int | float | None]:
        return {
            "gold": self.gold,
            "system": self.system,
            "correct": self.correct,
            "aligned": self.aligned,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "aligned_accuracy": self.aligned_accuracy,
        }


@dataclass(frozen=True, slots=True)
class Selection:
    """The items that one metric counts: words, tokens or sentences, as masks.

    The masks `counted.aligned` and `correct` are over pairs of items; `paired` has the gold item of each.
    """

    items: Literal["words", "tokens", "sentences"]
    counted: CountedWords
    paired: Ints
    correct: Mask
    # Whether the number of pairs is meaningful.
    has_aligned: bool

    @property
    def tally(self) -> Tally:
        gold, system, aligned = self.counted.sizes
        return Tally(gold, system, int(np.count_nonzero(self.correct)), aligned if self.has_aligned else None)


def selections(comparison: Comparison) -> Iterator[tuple[str, Selection]]:
    """The items that every metric of the profile counts, in the profile's order."""
    yield "Tokens", _tokens(comparison)
    yield "Sentences", _sentences(comparison)
    yield from word_selections(comparison, label_accuracy=comparison.options.label_accuracy)


def word_selections(comparison: Comparison, *, label_accuracy: bool) -> Iterator[tuple[str, Selection]]:
    """Those of the metrics that count words."""
    metrics: dict[str, Metric] = dict(comparison.profile.word_metrics)
    if label_accuracy:
        metrics["LA"] = LABEL_ACCURACY
    for name, metric in metrics.items():
        yield name, _words(comparison, metric)


def tallies(comparison: Comparison) -> Mapping[str, Tally]:
    """The counts of the whole file for every metric."""
    return {name: selection.tally for name, selection in selections(comparison)}


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of one system file by unit: `values[unit, metric]` is gold, system, correct, aligned.

    They are all that significance tests need, and as secret as the gold file.
    """

    metrics: tuple[str, ...]
    values: NDArray[np.int32]

    @property
    def units(self) -> int:
        return len(self.values)

    def to_bytes(self) -> bytes:
        """Each different column is stored once: most repeat, as every word metric has the same gold words."""
        columns = narrow(self.values.reshape(self.units, -1).T)
        different, column = np.unique(columns, axis=0, return_inverse=True)
        return pack(_FORMAT, {"different": different, "column": narrow(column)}, {"metrics": self.metrics})

    @classmethod
    def from_bytes(cls, stored: bytes) -> Counts:
        """What `to_bytes` wrote; ValueError where it is anything else."""
        arrays, strings = unpack(_FORMAT, stored)
        try:
            metrics = tuple(strings["metrics"])
            columns = arrays["different"][arrays["column"]]
            values = columns.T.reshape(-1, len(metrics), 4).astype(np.int32)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ValueError(f"damaged {_FORMAT}: {error}") from error
        return cls(metrics, values)


def resampling_unit(gold: Treebank, requested: Unit) -> Unit:
    """The unit that the bootstrap draws: documents if requested and if there are enough of them."""
    enough = requested == "document" and int(gold.documents[-1]) + 1 >= ENOUGH_DOCUMENTS
    return "document" if enough else "sentence"


def counts_by_unit(comparison: Comparison, unit: Unit = "sentence") -> Counts:
    """The counts of every metric for every unit of the gold file."""
    gold, system = comparison.gold, comparison.system
    of_sentence = gold.documents if unit == "document" else np.arange(gold.sentences)
    units = int(of_sentence[-1]) + 1
    gold_unit = {
        "words": of_sentence[gold.sentence],
        "tokens": of_sentence[gold.layout.sentence[gold.token_rows]],
        "sentences": of_sentence,
    }
    system_token_unit = of_sentence[gold_sentence_of_tokens(comparison)]
    system_unit = {
        "words": system_token_unit[system.token],
        "tokens": system_token_unit,
        "sentences": system_token_unit[system.sentence_first_token[:-1]],
    }
    names = []
    columns = []
    for name, selection in selections(comparison):
        of_gold, of_system = gold_unit[selection.items], system_unit[selection.items]
        counted = selection.counted
        of_pair = of_gold[selection.paired]
        units_counted = (
            of_gold[counted.gold],
            of_system[counted.system],
            of_pair[selection.correct],
            of_pair[counted.aligned if selection.has_aligned else selection.correct],
        )
        names.append(name)
        columns.append(np.stack([np.bincount(of, minlength=units) for of in units_counted], axis=1))
    return Counts(tuple(names), np.stack(columns, axis=1).astype(np.int32))


def gold_sentence_of_tokens(comparison: Comparison) -> Ints:
    starts = _sentence_starts(comparison.gold, comparison.alignment.gold_surface)
    return np.searchsorted(starts, comparison.alignment.system_surface.start[:-1], side="right") - 1


def _sentence_starts(treebank: Treebank, surface: Surface) -> Ints:
    return surface.start[treebank.sentence_first_token[:-1]]


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


def _words(comparison: Comparison, metric: Metric) -> Selection:
    keep = metric.keep
    if metric.punctuation_option and comparison.options.punctuation != "all":
        keep = comparison.options.punctuation
    counted = comparison.counted_words(keep)
    correct = counted.aligned
    for key in metric.keys:
        correct = correct & comparison.agrees(key)
    paired = comparison.alignment.gold
    return Selection("words", counted, paired, correct, has_aligned=bool(metric.keys))
