"""Record what an annotator decides: a judgement, a skipped item, or a decision taken back.

In: an annotator and what the form says. Out: whether anything changed. Sending the same form twice changes
nothing the second time.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.core.errors import Refusal
from sharedtask.judgements.assign import TAKEN_BACK
from sharedtask.judgements.models import Annotator, Assignment, Campaign, Item, Pair

MAX_SECONDS = 24 * 3600.0
SHOWN_FIRST, SHOWN_SECOND, EQUAL = "1", "2", "="
ANSWERS = (SHOWN_FIRST, SHOWN_SECOND, EQUAL)


def judge(*, annotator: Annotator, assignment: str, answer: str, seconds: float | None, at: datetime) -> bool:
    """`answer` is by position on the screen; what is stored is about the trees of the item."""
    row = find(annotator, assignment)
    choice = choice_of(row, answer)
    if choice == Assignment.Choice.EQUAL and not annotator.campaign.allows_equal:
        raise Refusal("equal-not-allowed", "Choose one of the two trees.")
    return decide(row, at=at, choice=choice, seconds=bounded(seconds))


def skip(*, annotator: Annotator, assignment: str, reason: str, at: datetime) -> bool:
    reason = " ".join(reason.split())
    if not reason:
        raise Refusal("reason-missing", "Please say why you skip this item.")
    return decide(find(annotator, assignment), at=at, skip_reason=reason[:200])


def undo(*, annotator: Annotator, assignment: str) -> bool:
    """Open the item that was decided last, so that it is shown again.

    The page names this item: a second click, or another tab, does not take back one more.
    """
    with transaction.atomic():
        # The lock under which items are given: nobody else can get this one meanwhile.
        campaign = Campaign.objects.select_for_update().get(pk=annotator.campaign_id)
        last = last_decided(annotator)
        if last is None or last.public_id != assignment:
            return False
        if last.skip_reason and last.item.kind == Item.Kind.PAIR:
            others = last.item.assignments.occupying().exclude(annotator=annotator)
            if others.count() >= campaign.judgements_per_item:
                raise Refusal(
                    "item-given-to-others",
                    "This item cannot be opened again: it has been reassigned since you skipped it.",
                )
        return bool(
            Assignment.objects.filter(pk=last.pk).update(
                choice="", skip_reason="", decided_at=None, seconds=None
            )
        )


def last_decided(annotator: Annotator) -> Assignment | None:
    decided = annotator.assignments.filter(decided_at__isnull=False).exclude(skip_reason=TAKEN_BACK)
    return decided.select_related("item").order_by("-decided_at", "-position").first()


def find(annotator: Annotator, public_id: str) -> Assignment:
    row = annotator.assignments.filter(public_id=public_id).select_related("item").first()
    if row is None:
        raise Refusal("item-unknown", "This item is not assigned to you.")
    # Whether it is still open is decided by the update: another click may arrive at the same moment.
    pair = row.item.pair_id
    if pair is not None and not Pair.objects.counting().filter(pk=pair).exists():
        raise Refusal("item-withdrawn", "This item is no longer part of the campaign.")
    if row.skip_reason == TAKEN_BACK:
        raise Refusal(
            "item-reassigned",
            "Your answer was not saved: the item was open for so long that it was reassigned.",
        )
    return row


def decide(row: Assignment, *, at: datetime, **values: object) -> bool:
    """Only the first decision counts; it can be taken back. Of two tabs, the later one changes nothing."""
    return bool(Assignment.objects.filter(pk=row.pk).open().update(decided_at=at, **values))


def choice_of(row: Assignment, answer: str) -> str:
    if answer not in ANSWERS:
        raise Refusal("answer-unknown", "Choose one of the two trees.")
    if answer == EQUAL:
        return Assignment.Choice.EQUAL
    is_first = (answer == SHOWN_FIRST) != row.swapped
    return Assignment.Choice.FIRST if is_first else Assignment.Choice.SECOND


def bounded(seconds: float | None) -> float | None:
    """Negative and endless times are the work of a broken clock."""
    return seconds if seconds is not None and 0 <= seconds <= MAX_SECONDS else None
