"""Which sentences of a test set match a query, and in which order.

In: a `SentenceQuery`, the gold sentences, and the systems' sentences. Out: `Matches`, sentences counted from
0. All of it is arithmetic on small arrays: no file is opened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evaluation import Presentation
from evaluation.errors.count import ErrorCounts
from evaluation.reading.fields import Ints, Mask
from evaluation.scoring.metric import Floats
from evaluation.showing.gold_sentences import GoldSentences
from evaluation.showing.system_sentences import SystemSentences
from sharedtask.analysis.query import SentenceQuery


@dataclass(frozen=True, kw_only=True)
class Systems:
    """`chosen` are those that the reader named; `others` the rest of the ranking. Either may be empty."""

    chosen: Sequence[SystemSentences]
    others: Sequence[SystemSentences]
    presentations: Mapping[str, Presentation] = field(default_factory=dict)
    errors: Sequence[ErrorCounts] = ()
    """Of the examined systems, if the query asks for an error class."""

    @property
    def examined_systems(self) -> Sequence[SystemSentences]:
        """Those whose errors count: the chosen ones, or all if none is chosen."""
        return self.chosen or self.others

    @property
    def all(self) -> Sequence[SystemSentences]:
        return [*self.chosen, *self.others]


@dataclass(frozen=True, kw_only=True)
class Matches:
    numbers: Ints
    errors: Ints
    """Of every sentence of the test set, summed over the examined systems."""
    figures: Floats | None = None
    """Of every sentence, by the metric that they are sorted by."""

    def around(self, sentence: int) -> tuple[int | None, int | None, int | None]:
        """The previous match, the place of this one from 0, the next match; all None if it does not match."""
        places = np.flatnonzero(self.numbers == sentence)
        if not len(places):
            return None, None, None
        place = int(places[0])
        previous = int(self.numbers[place - 1]) if place else None
        following = int(self.numbers[place + 1]) if place + 1 < len(self.numbers) else None
        return previous, place, following


def find_sentences(query: SentenceQuery, gold: GoldSentences, systems: Systems) -> Matches:
    size = len(gold.words)
    matching = matching_errors(query, gold, systems) & matching_gold(query, gold)
    if query.relation:
        matching &= matching_relation(query, gold, systems)
    if query.error:
        matching &= matching_class(query.error, systems.errors, size)
    if query.segmentation:
        differs = [system.words_differ | system.sentence_differs for system in systems.examined_systems]
        matching &= any_of(differs, size)
    errors = np.zeros(size, dtype=np.int64)
    for system in systems.examined_systems:
        errors += system.errors
    if query.full:
        matching &= matching_completeness(query.full, systems, size)
    figures = mean_figures(query.sorting_metric, systems)
    numbers = np.flatnonzero(matching)
    if figures is None:
        return Matches(numbers=in_order(query.sort, numbers, errors, gold.words), errors=errors)
    higher_is_better = systems.presentations[query.sorting_metric].better == "higher"
    ascending = higher_is_better != query.sort.startswith("-")
    keys = figures[numbers] if ascending else -figures[numbers]
    # Sentences in which the metric counts nothing have no figure and come last.
    return Matches(numbers=numbers[np.argsort(keys, kind="stable")], errors=errors, figures=figures)


def mean_figures(metric: str, systems: Systems) -> Floats | None:
    """Of every sentence, over the examined systems; NaN where there is none. None without such a metric."""
    if not metric or not any(metric in system.metrics for system in systems.examined_systems):
        return None
    figures = np.array([system.figures_by(metric) for system in systems.examined_systems])
    known = ~np.isnan(figures)
    sums = np.where(known, figures, 0).sum(axis=0)
    return np.where(known.any(axis=0), sums / np.maximum(known.sum(axis=0), 1), np.nan)


def matching_completeness(full: str, systems: Systems, size: int) -> Mask:
    """Everything that the metric counts in a sentence is correct, in every examined system; or it is not."""
    metric = full.removeprefix("-")
    if not any(metric in system.metrics for system in systems.examined_systems):
        return np.ones(size, dtype=bool)
    figures = np.array([system.figures_by(metric) for system in systems.examined_systems])
    counted = ~np.isnan(figures)
    incomplete: Mask = (counted & (figures < 1)).any(axis=0)
    complete: Mask = counted.any(axis=0) & ~incomplete
    return incomplete if full.startswith("-") else complete


def in_order(sort: str, numbers: Ints, errors: Ints, words: Ints) -> Ints:
    """By errors per word, a sentence where everything is wrong comes before all others, however short."""
    if sort == "order":
        return numbers
    errors, words = errors[numbers], words[numbers]
    if sort == "share":
        return numbers[np.lexsort((-words, -errors / words))]
    return numbers[np.argsort(errors if sort == "errors" else -errors, kind="stable")]


def matching_errors(query: SentenceQuery, gold: GoldSentences, systems: Systems) -> Mask:
    """By what the systems got wrong."""
    size = len(gold.words)
    if query.show in ("wrong", "right"):
        wrong = any_of([system.errors for system in systems.examined_systems], size)
        return wrong if query.show == "wrong" else ~wrong
    if query.show == "only":
        wrong_for_others = wrong_words(systems.others, gold)
        return sentences_with(wrong_words(systems.chosen, gold) & ~wrong_for_others, gold)
    if query.show == "everyone":
        right = [~system.is_wrong(int(gold.words.sum())) for system in systems.all]
        return sentences_with(~np.any(right, axis=0), gold) if right else np.zeros(size, dtype=bool)
    if query.show == "disagree":
        compared = systems.chosen if len(systems.chosen) > 1 else systems.all
        return any_of([system.decisions != compared[0].decisions for system in compared[1:]], size)
    return np.ones(size, dtype=bool)


def wrong_words(systems: Sequence[SystemSentences], gold: GoldSentences) -> Mask:
    """The gold words that at least one of these systems gets wrong."""
    words = int(gold.words.sum())
    return any_of([system.is_wrong(words) for system in systems], words)


def sentences_with(words: Mask, gold: GoldSentences) -> Mask:
    """The sentences that contain at least one of these words."""
    first = np.append(0, np.cumsum(gold.words, dtype=np.int64)[:-1])
    sentences: Mask = np.logical_or.reduceat(words, first)
    return sentences


def matching_gold(query: SentenceQuery, gold: GoldSentences) -> Mask:
    """By properties of the gold sentence: length, projectivity, text."""
    matching = np.ones(len(gold.words), dtype=bool)
    if query.min is not None:
        matching &= gold.words >= query.min
    if query.max is not None:
        matching &= gold.words <= query.max
    if query.nonprojective:
        matching &= gold.nonprojective > 0
    if query.q:
        matching &= matching_text(query.q, gold)
    return matching


def matching_text(text: str, gold: GoldSentences) -> Mask:
    """The text of the sentence contains it, or one of its lemmas equals it; case does not matter."""
    needle = text.casefold()
    lemma = f"\t{needle}\t"
    matching = [
        needle in sentence.casefold() or lemma in lemmas.casefold()
        for sentence, lemmas in zip(gold.texts, gold.lemmas, strict=True)
    ]
    return np.array(matching, dtype=bool)


def matching_relation(query: SentenceQuery, gold: GoldSentences, systems: Systems) -> Mask:
    """The relation is in gold; or an examined system misses it or assigns it wrongly."""
    relation = query.relation
    matching = np.zeros(len(gold.words), dtype=bool)
    if query.arc == "gold" or not systems.examined_systems:
        if relation in gold.relations:
            matching[gold.relation_sentence[gold.relation == gold.relations.index(relation)]] = True
        return matching
    for system in systems.examined_systems:
        if relation in system.relations:
            matching[system.wrong_sentence[system.wrong == system.relations.index(relation)]] = True
    return matching


def matching_class(name: str, systems: Sequence[ErrorCounts], size: int) -> Mask:
    """At least one of the systems has an error in a word of this class."""
    return any_of([counts.errors_in(name) for counts in systems if name in counts.names], size)


def any_of(flags: Sequence[Ints] | Sequence[Mask], size: int) -> Mask:
    result = np.zeros(size, dtype=bool)
    for each in flags:
        result |= each > 0
    return result
