"""How far a campaign has come, for its organisers: by annotator and by item, with controls and repeats.

In: a campaign. Out: `Progress`. The number of queries does not depend on the size of the campaign.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from sharedtask.competition.models import TestSet
from sharedtask.judgements.assign import TAKEN_BACK
from sharedtask.judgements.models import Annotator, Assignment, Campaign, Item, Pair


@dataclass(frozen=True, kw_only=True)
class AnnotatorProgress:
    annotator: Annotator
    judged: int
    skipped: int
    controls: int
    controls_failed: int
    repeats: int
    repeats_changed: int
    median_seconds: float | None
    last_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class ItemProgress:
    """What has been decided about an item, without telling which tree is whose."""

    number: int
    kind: str
    test_set: str
    judged: int
    agreeing: int
    """Annotators who made the most frequent choice."""
    skipped: int
    open: int


@dataclass(frozen=True, kw_only=True)
class Shortage:
    """Two systems differ in fewer sentences of a test set than items were asked for."""

    pair: Pair
    test_set: TestSet
    drawn: int


@dataclass(frozen=True, kw_only=True)
class Progress:
    annotators: Sequence[AnnotatorProgress]
    items: int
    """Without controls and repeats."""
    judgements: int
    needed: int
    complete: int
    """Items with as many judgements as the campaign asks for."""
    controls: int
    repeats: int
    skip_reasons: Sequence[tuple[str, int]]
    per_item: Sequence[ItemProgress]

    @property
    def percent(self) -> int:
        return 100 * self.judgements // self.needed if self.needed else 0


def progress_of(campaign: Campaign) -> Progress:
    kinds = Counter(campaign.items.values_list("kind", flat=True))
    assignments = list(
        Assignment.objects.filter(item__campaign=campaign)
        # Nobody decided about these.
        .exclude(skip_reason=TAKEN_BACK)
        .select_related("item", "annotator")
        .defer("item__first_tree", "item__second_tree", "item__text")
    )
    by_annotator: dict[int, list[Assignment]] = defaultdict(list)
    per_item: Counter[int] = Counter()
    for assignment in assignments:
        by_annotator[assignment.annotator_id].append(assignment)
        if counts_for_pair(assignment):
            per_item[assignment.item_id] += 1
    items = kinds[Item.Kind.PAIR]
    needed = campaign.judgements_per_item
    reasons = Counter(assignment.skip_reason for assignment in assignments if assignment.skip_reason)
    return Progress(
        annotators=[
            annotator_progress(annotator, by_annotator[annotator.pk])
            for annotator in campaign.annotators.select_related("user")
        ],
        items=items,
        judgements=sum(min(number, needed) for number in per_item.values()),
        needed=items * needed,
        complete=sum(number >= needed for number in per_item.values()),
        controls=kinds[Item.Kind.CONTROL],
        repeats=kinds[Item.Kind.REPEAT],
        skip_reasons=reasons.most_common(10),
        per_item=items_progress(campaign, assignments),
    )


def shortages(campaign: Campaign) -> list[Shortage]:
    """None before the items are drawn."""
    if campaign.drawn_at is None:
        return []
    of_pairs = campaign.items.filter(kind=Item.Kind.PAIR).order_by()
    drawn = Counter(of_pairs.values_list("pair", "test_set"))
    pairs = list(campaign.pairs.all())
    return [
        Shortage(pair=pair, test_set=test_set, drawn=drawn[pair.pk, test_set.pk])
        for test_set in campaign.test_sets.order_by("position", "code")
        for pair in pairs
        if drawn[pair.pk, test_set.pk] < campaign.items_per_pair
    ]


def items_progress(campaign: Campaign, assignments: Sequence[Assignment]) -> list[ItemProgress]:
    by_item: dict[int, list[Assignment]] = defaultdict(list)
    for assignment in assignments:
        if assignment.annotator.excluded_at is None:
            by_item[assignment.item_id].append(assignment)
    rows = campaign.items.order_by("number").values_list("pk", "number", "kind", "test_set__code")
    return [
        item_progress(by_item[key], number=number, kind=kind, test_set=code)
        for key, number, kind, code in rows
    ]


def item_progress(
    assignments: Sequence[Assignment], *, number: int, kind: str, test_set: str
) -> ItemProgress:
    choices = Counter(assignment.choice for assignment in assignments if assignment.choice)
    skipped = sum(bool(assignment.skip_reason) for assignment in assignments)
    return ItemProgress(
        number=number,
        kind=Item.Kind(kind).label,
        test_set=test_set,
        judged=choices.total(),
        agreeing=max(choices.values(), default=0),
        skipped=skipped,
        open=len(assignments) - choices.total() - skipped,
    )


def counts_for_pair(assignment: Assignment) -> bool:
    is_judged = bool(assignment.choice) and assignment.annotator.excluded_at is None
    return is_judged and assignment.item.kind == Item.Kind.PAIR


def annotator_progress(annotator: Annotator, assignments: Sequence[Assignment]) -> AnnotatorProgress:
    judged = [assignment for assignment in assignments if assignment.choice]
    choice_of = {assignment.item_id: assignment.choice for assignment in judged}
    controls = [a.choice for a in judged if a.item.kind == Item.Kind.CONTROL]
    repeats = [
        a.choice != choice_of[a.item.repeats_id]
        for a in judged
        if a.item.kind == Item.Kind.REPEAT and a.item.repeats_id in choice_of
    ]
    seconds = [a.seconds for a in judged if a.seconds is not None]
    times = [a.decided_at for a in assignments if a.decided_at is not None]
    return AnnotatorProgress(
        annotator=annotator,
        judged=len(judged),
        skipped=sum(bool(a.skip_reason) for a in assignments),
        controls=len(controls),
        controls_failed=sum(choice != Assignment.Choice.FIRST for choice in controls),
        repeats=len(repeats),
        repeats_changed=sum(repeats),
        median_seconds=median(seconds) if seconds else None,
        last_at=max(times, default=None),
    )
