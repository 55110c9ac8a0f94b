"""Record what decided an item on which people contradict the main metric: an organiser's opinion."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.judgements.models import Item


def tag_item(*, item: Item, by: User, decided_by: Sequence[str]) -> None:
    with transaction.atomic():
        Item.objects.filter(pk=item.pk).update(decided_by=list(decided_by))
        audit.write(
            task=item.campaign.task,
            who=by,
            action="tag-items",
            subject=item,
            details={"decided_by": ", ".join(decided_by)},
        )
