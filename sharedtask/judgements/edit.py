"""Edit a campaign: everything but its systems before it opens, and afterwards what changes no judgement.

In: a campaign and the new values. Out: the changed row, or a refusal. Values that decide which sentences are
drawn discard items that have been drawn; they are drawn again when the organiser asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.judgements.models import Campaign
from sharedtask.judgements.names import refuse_names
from sharedtask.submissions.models import Run
from sharedtask.visibility.terms import CampaignStage
from sharedtask.work import dispatch
from sharedtask.work.targets import ANALYSE_CAMPAIGN

ALWAYS = ("title",)
UNTIL_PUBLISHED = ("guidelines", "judgements_per_item", "content_tags", "function_tags", "closes_at")
BEFORE_OPENING = ("consent", "allows_equal")
DECIDES_ITEMS = ("test_sets", "items_per_pair", "sampling", "controls", "repeats", "seed")
NOT_DRAWN = {"items_requested_at": None, "drawn_at": None, "problem": ""}


def editable_fields(campaign: Campaign, *, at: datetime) -> tuple[str, ...]:
    stage = campaign.stage(at=at)
    if stage == CampaignStage.PUBLISHED:
        return ALWAYS
    if stage == CampaignStage.DRAFT:
        return (*ALWAYS, *UNTIL_PUBLISHED, *BEFORE_OPENING, *DECIDES_ITEMS)
    return (*ALWAYS, *UNTIL_PUBLISHED)


def edit_campaign(*, campaign: Campaign, by: User, values: Mapping[str, Any], reason: str = "") -> bool:
    """Whether anything changed."""
    at = clock.database_now()
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update().select_related("task").get(pk=campaign.pk)
        changed = changed_values(campaign, values)
        refuse_edit(campaign, changed, at=at)
        if not changed:
            return False
        if campaign.items_requested_at and changed.keys() & set(DECIDES_ITEMS):
            campaign.items.all().delete()
            Campaign.objects.filter(pk=campaign.pk).update(**NOT_DRAWN)
        columns = {name: value for name, value in changed.items() if name != "test_sets"}
        Campaign.objects.filter(pk=campaign.pk).update(**columns)
        if "test_sets" in changed:
            campaign.test_sets.set(changed["test_sets"])
        audit.write(
            task=campaign.task,
            who=by,
            action="edit-campaign",
            subject=campaign,
            reason=reason,
            details={name: displayed(value) for name, value in changed.items()},
        )
        dispatch.enqueue(ANALYSE_CAMPAIGN, campaign.pk)
    return True


def changed_values(campaign: Campaign, values: Mapping[str, Any]) -> dict[str, Any]:
    current = {name: getattr(campaign, name) for name in values if name != "test_sets"}
    changed = {name: value for name, value in values.items() if name in current and value != current[name]}
    if "test_sets" in values and set(values["test_sets"]) != set(campaign.test_sets.all()):
        changed["test_sets"] = list(values["test_sets"])
    return changed


def refuse_edit(campaign: Campaign, changed: Mapping[str, Any], *, at: datetime) -> None:
    fixed = sorted(set(changed) - set(editable_fields(campaign, at=at)))
    if fixed:
        raise Refusal("campaign-has-opened", f"This can no longer be changed: {', '.join(fixed)}.")
    keys = {key for pair in campaign.pairs.all() for key in (pair.first_id, pair.second_id)}
    if campaign.published_at is None:
        refuse_names(Run.objects.filter(pk__in=keys).select_related("team", "system"), changed)
    closes_at = changed.get("closes_at")
    if closes_at is not None and closes_at <= at:
        raise Refusal("closing-time-past", "Choose a closing time in the future.")
    if "consent" in changed and campaign.annotators.exists():
        raise Refusal("consent-given", "The consent text stays, because annotators have agreed to it.")


def displayed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
