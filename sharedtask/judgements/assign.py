"""Give annotators items to judge.

In: an annotator. Out: the next `Assignment`, or None when nothing is left for this person. Items are given in
the order of the campaign, to as many annotators as it asks for, in languages that they know. Controls go to
everybody who gets such items, and a repeated item to whoever judged it before.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.core import clock
from sharedtask.judgements.models import Annotator, Assignment, Campaign, Item, Pair

IDLE = timedelta(days=3)
"""After this, an organiser may give an item that lies open to somebody else."""
TAKEN_BACK = "Reassigned because it was left open."


def assign_next(annotator: Annotator, *, at: datetime) -> Assignment | None:
    """The item that lies open, or a new one."""
    with transaction.atomic():
        # The lock makes annotators who ask at the same moment get items one after the other.
        Campaign.objects.select_for_update().get(pk=annotator.campaign_id)
        open_assignment = annotator.assignments.to_judge().select_related("item__test_set").first()
        if open_assignment is not None:
            return open_assignment
        item = item_to_give(annotator)
        if item is None:
            return None
        position = annotator.assignments.count() + 1
        return Assignment.objects.create(
            annotator=annotator,
            item=item,
            position=position,
            swapped=is_swapped(annotator, position),
            assigned_at=at,
        )


def item_to_give(annotator: Annotator) -> Item | None:
    """None for a person who comes when all pairs are taken: controls alone say nothing."""
    items = available_items(annotator).select_related("test_set")
    has_pairs = annotator.assignments.filter(item__kind=Item.Kind.PAIR)
    return items.first() if has_pairs.exists() or items.filter(kind=Item.Kind.PAIR).exists() else None


def most_left(annotator: Annotator) -> int:
    """At most so many items are left.

    Every repeat counts, or else the number would say which items come again: it would not fall after them.
    """
    return available_items(annotator, every_repeat=True).count()


def available_items(annotator: Annotator, *, every_repeat: bool = False) -> QuerySet[Item]:
    campaign = annotator.campaign
    own = Assignment.objects.filter(annotator=annotator, item=OuterRef("pk"))
    judged_before = Assignment.objects.filter(annotator=annotator, item=OuterRef("repeats")).judged()
    occupied = Count(
        "assignments",
        filter=Q(assignments__skip_reason="", assignments__annotator__excluded_at=None),
    )
    counting = Pair.objects.filter(campaign=campaign).counting()
    repeats = Q(kind=Item.Kind.REPEAT) if every_repeat else Q(kind=Item.Kind.REPEAT) & Exists(judged_before)
    for_everybody = Q(kind=Item.Kind.CONTROL) | repeats
    for_some = Q(kind=Item.Kind.PAIR, occupied__lt=campaign.judgements_per_item)
    return (
        campaign.items.annotate(occupied=occupied)
        .filter(for_everybody | for_some)
        .filter(Q(pair=None) | Q(pair__in=counting))
        .filter(test_set__language__in=list(annotator.languages))
        .filter(~Exists(own))
        .order_by("number")
    )


def is_swapped(annotator: Annotator, position: int) -> bool:
    """At random, and balanced: of every two items of an annotator, one is swapped."""
    key = f"{annotator.campaign.seed} {annotator.public_id} {(position - 1) // 2}"
    first_is_swapped = bool(hashlib.sha256(key.encode()).digest()[0] & 1)
    return first_is_swapped if position % 2 else not first_is_swapped


def reassign_idle(*, campaign: Campaign, by: User, reason: str = "") -> int:
    """Take back the items that annotators have left open for long, so that others get them."""
    at = clock.database_now()
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        idle = Assignment.objects.filter(item__campaign=campaign, assigned_at__lt=at - IDLE).open()
        number = idle.update(skip_reason=TAKEN_BACK, decided_at=at)
        audit.write(
            task=campaign.task,
            who=by,
            action="reassign-items",
            subject=campaign,
            reason=reason,
            details={"items": number},
        )
    return number
