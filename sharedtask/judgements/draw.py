"""Draw the items of a campaign from the outputs of its systems.

In: the key of a campaign. Out: its `Item`s, in an order that mixes test sets, pairs, controls and repeats. A
worker reads the outputs once; afterwards pages need nothing but the items. Running it twice changes nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

from django.db import transaction
from django.db.models import QuerySet

import evaluation
from evaluation.judgements.controls import damage
from evaluation.judgements.items import (
    Candidate,
    anonymous_source,
    draw_items,
    find_candidates,
    texts_between,
)
from sharedtask.competition.models import TestSet
from sharedtask.core import clock, storage
from sharedtask.judgements.measure_items import read_output
from sharedtask.judgements.models import Campaign, Item, Pair
from sharedtask.submissions.models import Run
from sharedtask.work.failure import Failure
from sharedtask.work.kinds import WorkKind
from sharedtask.work.lease import released
from sharedtask.work.retry import RetryPolicy
from sharedtask.work.targets import DRAW_ITEMS

MAX_WORDS = 120
"""Longer sentences cannot be judged by eye."""
NO_DIFFERENCES = "The chosen systems do not differ in any sentence of these test sets."
COPIED = ("begin", "end", "words", "text", "first_tree", "second_tree")


class DrawItems(WorkKind[Campaign]):
    target = DRAW_ITEMS
    stage = "judgements"
    related = ("task",)
    retries = RetryPolicy(max_attempts=5, max_losses=3)

    def waiting(self) -> QuerySet[Campaign]:
        return Campaign.objects.waiting_for_items()

    def process(self, row: Campaign) -> None:
        record(row, list(items_of(row)))

    def give_up(self, row: Campaign, failure: Failure) -> None:
        Campaign.objects.filter(pk=row.pk).update(
            problem="The items could not be drawn because of a server error."
        )

    def log_fields(self, row: Campaign) -> dict[str, str]:
        return {"campaign": row.public_id}


def record(campaign: Campaign, items: Sequence[Item]) -> None:
    """In the order of a hash, so that neighbouring items tell nothing about each other."""
    order = sorted(items, key=lambda item: place(campaign, item))
    # A repeat comes after the item that it repeats, as far away as possible.
    order.sort(key=lambda item: item.kind == Item.Kind.REPEAT)
    for number, item in enumerate(order, start=1):
        item.number = number
    with transaction.atomic():
        current = Campaign.objects.select_for_update().get(pk=campaign.pk)
        if current.items_requested_at != campaign.items_requested_at:
            # The campaign was edited meanwhile; its new items have to be requested again.
            Campaign.objects.filter(pk=campaign.pk).update(**released())
            return
        campaign.items.all().delete()
        originals = [item for item in order if item.kind != Item.Kind.REPEAT]
        Item.objects.bulk_create(originals)
        # Their originals have keys only now.
        for item in order:
            item.repeats = item.repeats
        Item.objects.bulk_create([item for item in order if item.kind == Item.Kind.REPEAT])
        has_items = any(item.kind == Item.Kind.PAIR for item in order)
        Campaign.objects.filter(pk=campaign.pk).update(
            drawn_at=clock.database_now() if has_items else None,
            problem="" if has_items else NO_DIFFERENCES,
            attempts=0,
            losses=0,
            failure={},
            **released(),
        )


def place(campaign: Campaign, item: Item) -> str:
    key = f"{campaign.seed} {item.test_set.code} {item.kind} {item.begin} {item.pair_id}"
    return hashlib.sha256(key.encode()).hexdigest()


def items_of(campaign: Campaign) -> Iterator[Item]:
    pairs = list(campaign.pairs.counting().select_related("first", "second"))
    for test_set in campaign.test_sets.order_by("position", "code"):
        reader = SetReader(campaign=campaign, test_set=test_set)
        items = [item for pair in pairs for item in reader.pair_items(pair)]
        yield from items
        # Controls and repeats are of all pairs and lengths, and of different items while there are enough.
        mixed = sorted(items, key=partial(place, campaign))
        yield from reader.control_items(mixed)
        yield from reader.repeated_items(mixed)


@dataclass(frozen=True, eq=False, kw_only=True)
class SetReader:
    """The items of one test set."""

    campaign: Campaign
    test_set: TestSet

    def __post_init__(self) -> None:
        # Each output is read once, however many pairs it is part of.
        object.__setattr__(self, "read", cache(self.read))

    def read(self, run: Run) -> evaluation.Treebank | None:
        return read_output(run, self.test_set)

    def pair_items(self, pair: Pair) -> list[Item]:
        first, second = self.read(pair.first), self.read(pair.second)
        if first is None or second is None:
            return []
        candidates = find_candidates(first, second, self.campaign.task.profile)
        drawn = draw_items(
            [candidate for candidate in candidates if candidate.words <= MAX_WORDS],
            self.campaign.items_per_pair,
            seed=self.campaign.seed,
            key=self.test_set.code,
            by_length=self.campaign.sampling == Campaign.Sampling.BY_LENGTH,
        )
        texts = self.texts(first, drawn)
        return [
            self.item(
                pair=pair,
                candidate=candidate,
                text=text,
                first_tree=anonymous_source(first, candidate.first),
                second_tree=anonymous_source(second, candidate.second),
            )
            for candidate, text in zip(drawn, texts, strict=True)
        ]

    def control_items(self, items: Sequence[Item]) -> Iterator[Item]:
        """The first trees of other items, each against its damaged copy."""
        number = 0
        for item in items:
            key = f"{self.test_set.code} {item.begin}"
            damaged = damage(item.first_tree, seed=self.campaign.seed, key=key)
            if number < self.campaign.controls and damaged is not None:
                number += 1
                yield self.copy(item, kind=Item.Kind.CONTROL, pair=item.pair, second_tree=damaged)

    def repeated_items(self, items: Sequence[Item]) -> Iterator[Item]:
        for item in items[-self.campaign.repeats :] if self.campaign.repeats else ():
            yield self.copy(item, kind=Item.Kind.REPEAT, pair=item.pair, repeats=item)

    def item(self, *, candidate: Candidate, **values: object) -> Item:
        return Item(
            campaign=self.campaign,
            test_set=self.test_set,
            begin=candidate.begin,
            end=candidate.end,
            words=candidate.words,
            **values,
        )

    def copy(self, item: Item, **values: object) -> Item:
        copied = {name: getattr(item, name) for name in COPIED}
        return Item(campaign=self.campaign, test_set=self.test_set, **(copied | values))

    def texts(self, treebank: evaluation.Treebank, drawn: Sequence[Candidate]) -> list[str]:
        """From the raw text; its words with spaces between them where there is none."""
        given = self.test_set.given_input
        raw = given if given and given.is_raw_text else None
        spans = [(candidate.begin, candidate.end) for candidate in drawn]
        texts = texts_between(storage.read(raw.stored).decode(), spans) if raw else [""] * len(spans)
        return [
            text or joined_forms(treebank, candidate.first)
            for text, candidate in zip(texts, drawn, strict=True)
        ]


def joined_forms(treebank: evaluation.Treebank, sentence: int) -> str:
    first, end = treebank.sentence_first_token[sentence : sentence + 2].tolist()
    return " ".join(treebank.token_forms.text_at(token) for token in range(first, end))
