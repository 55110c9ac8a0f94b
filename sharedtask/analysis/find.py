"""Which sentences of a test set are wished for, in which order.

In: `Wishes`, the gold sentences, and what the systems made of them. Out: `Found`, sentences counted from 0.
All of it is work on small arrays: no file is opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.reading.fields import Ints, Mask
from evaluation.showing.gold_sentences import GoldSentences
from evaluation.showing.system_sentences import SystemSentences
from sharedtask.analysis.query import Wishes


@dataclass(frozen=True, kw_only=True)
class Systems:
    """`chosen` are those that the reader named; `others` the rest of the ranking. Either may be empty."""

    chosen: Sequence[SystemSentences]
    others: Sequence[SystemSentences]

    @property
    def asked(self) -> Sequence[SystemSentences]:
        """Whose errors are meant: the chosen ones', else everybody's."""
        return self.chosen or self.others

    @property
    def everyone(self) -> Sequence[SystemSentences]:
        return [*self.chosen, *self.others]


@dataclass(frozen=True, kw_only=True)
class Found:
    numbers: Ints
    errors: Ints
    """Of each sentence of the test set, summed over the systems that are asked about."""

    def around(self, sentence: int) -> tuple[int | None, int | None, int | None]:
        """The one before, the place of this one from 0, the one after; Nones where it is not among them."""
        places = np.flatnonzero(self.numbers == sentence)
        if not len(places):
            return None, None, None
        place = int(places[0])
        before = int(self.numbers[place - 1]) if place else None
        after = int(self.numbers[place + 1]) if place + 1 < len(self.numbers) else None
        return before, place, after


def find(wishes: Wishes, gold: GoldSentences, systems: Systems) -> Found:
    size = len(gold.words)
    kept = shown(wishes, gold, systems) & like(wishes, gold)
    if wishes.relation:
        kept &= with_relation(wishes, gold, systems)
    if wishes.segmentation:
        kept &= any_of([one.words_differ | one.sentence_differs for one in systems.asked], size)
    errors = np.zeros(size, dtype=np.int64)
    for one in systems.asked:
        errors += one.errors
    return Found(numbers=in_order(wishes.sort, np.flatnonzero(kept), errors, gold.words), errors=errors)


def in_order(sort: str, numbers: Ints, errors: Ints, words: Ints) -> Ints:
    """By errors a word, a sentence where everything is wrong comes before all others, however short it is."""
    if sort == "order":
        return numbers
    found, words = errors[numbers], words[numbers]
    if sort == "share":
        return numbers[np.lexsort((-words, -found / words))]
    return numbers[np.argsort(found if sort == "errors" else -found, kind="stable")]


def shown(wishes: Wishes, gold: GoldSentences, systems: Systems) -> Mask:
    size = len(gold.words)
    if wishes.show in ("wrong", "right"):
        wrong = any_of([one.errors for one in systems.asked], size)
        return wrong if wishes.show == "wrong" else ~wrong
    if wishes.show == "only":
        others = any_word(systems.others, gold)
        return holding(any_word(systems.chosen, gold) & ~others, gold)
    if wishes.show == "everyone":
        everyone = systems.everyone
        right = [~one.is_wrong(int(gold.words.sum())) for one in everyone]
        return holding(~np.any(right, axis=0), gold) if everyone else np.zeros(size, dtype=bool)
    if wishes.show == "disagree":
        compared = systems.chosen if len(systems.chosen) > 1 else systems.everyone
        return any_of([one.decisions != compared[0].decisions for one in compared[1:]], size)
    return np.ones(size, dtype=bool)


def any_word(systems: Sequence[SystemSentences], gold: GoldSentences) -> Mask:
    """The gold words that at least one of these systems gets wrong."""
    words = int(gold.words.sum())
    return any_of([one.is_wrong(words) for one in systems], words)


def holding(words: Mask, gold: GoldSentences) -> Mask:
    """The sentences that hold at least one of these words."""
    first = np.append(0, np.cumsum(gold.words, dtype=np.int64)[:-1])
    found: Mask = np.logical_or.reduceat(words, first)
    return found


def like(wishes: Wishes, gold: GoldSentences) -> Mask:
    """What gold itself tells."""
    kept = np.ones(len(gold.words), dtype=bool)
    if wishes.min is not None:
        kept &= gold.words >= wishes.min
    if wishes.max is not None:
        kept &= gold.words <= wishes.max
    if wishes.nonprojective:
        kept &= gold.nonprojective > 0
    if wishes.q:
        kept &= with_text(wishes.q, gold)
    return kept


def with_text(text: str, gold: GoldSentences) -> Mask:
    """The text of the sentence has it, whatever the case; or a word has it as its lemma."""
    needle = text.casefold()
    lemma = f"\t{needle}\t"
    found = [
        needle in told.casefold() or lemma in lemmas.casefold()
        for told, lemmas in zip(gold.texts, gold.lemmas, strict=True)
    ]
    return np.array(found, dtype=bool)


def with_relation(wishes: Wishes, gold: GoldSentences, systems: Systems) -> Mask:
    kept = np.zeros(len(gold.words), dtype=bool)
    if wishes.arc == "gold" or not systems.asked:
        if wishes.relation in gold.relations:
            kept[gold.relation_sentence[gold.relation == gold.relations.index(wishes.relation)]] = True
        return kept
    for one in systems.asked:
        if wishes.relation in one.relations:
            kept[one.wrong_sentence[one.wrong == one.relations.index(wishes.relation)]] = True
    return kept


def any_of(flags: Sequence[Ints] | Sequence[Mask], size: int) -> Mask:
    result = np.zeros(size, dtype=bool)
    for one in flags:
        result |= one > 0
    return result
