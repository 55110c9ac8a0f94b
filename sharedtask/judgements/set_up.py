"""Set up a campaign: create it, have its items drawn, open it, close it, publish its results.

Each function is an act of an organiser: it decides, refuses with a reason, and writes the audit log.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from itertools import combinations
from typing import Any

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.competition.models import Task, TestSet
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.judgements.models import Campaign, Pair
from sharedtask.judgements.names import refuse_names
from sharedtask.judgements.obstacles import obstacles
from sharedtask.submissions.models import Run
from sharedtask.visibility.terms import CampaignStage
from sharedtask.work import dispatch
from sharedtask.work.targets import ANALYSE_CAMPAIGN, DRAW_ITEMS

MAX_PAIRS = 200


def create_campaign(
    *,
    task: Task,
    by: User,
    runs: Collection[Run],
    test_sets: Collection[TestSet],
    reason: str = "",
    **values: Any,
) -> Campaign:
    """With every pair of the runs; pairs can be removed before the items are drawn."""
    runs = sorted(runs, key=lambda run: run.pk)
    if len(runs) < 2:
        raise Refusal("too-few-systems", "Choose at least two systems.")
    if len(runs) * (len(runs) - 1) // 2 > MAX_PAIRS:
        raise Refusal(
            "too-many-pairs", f"Choose fewer systems: a campaign has at most {MAX_PAIRS} pairs of them."
        )
    refuse_names(runs, values)
    with transaction.atomic():
        campaign = Campaign.objects.create(task=task, created_by=by, dispatched_at=None, **values)
        campaign.test_sets.set(test_sets)
        Pair.objects.bulk_create(
            Pair(campaign=campaign, first=first, second=second) for first, second in combinations(runs, 2)
        )
        audit.write(task=task, who=by, action="create-campaign", subject=campaign, reason=reason)
    return campaign


def request_items(*, campaign: Campaign, by: User, pairs: Collection[int], reason: str = "") -> None:
    """Keep these pairs and have a worker draw the items. Allowed once the trees may be shown."""
    at = clock.database_now()
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
        if campaign.drawn_at is not None:
            raise Refusal("items-drawn", "The items have been drawn already.")
        refuse_obstacles(campaign, at=at)
        chosen = campaign.pairs.filter(pk__in=pairs)
        if not chosen:
            raise Refusal("no-pairs", "Choose at least one pair of systems.")
        campaign.pairs.exclude(pk__in=pairs).delete()
        Campaign.objects.filter(pk=campaign.pk).update(
            items_requested_at=at, problem="", dispatched_at=at, attempts=0, losses=0, failure={}
        )
        audit.write(task=campaign.task, who=by, action="draw-items", subject=campaign, reason=reason)
        dispatch.enqueue(DRAW_ITEMS, campaign.public_id)


def open_campaign(*, campaign: Campaign, by: User, reason: str = "") -> None:
    at = clock.database_now()
    if campaign.drawn_at is None:
        raise Refusal("no-items", "Draw the items first.")
    if campaign.stage(at=at) not in (CampaignStage.DRAFT, CampaignStage.CLOSED):
        raise Refusal("campaign-has-opened", "The campaign is open already, or its results are published.")
    if campaign.closes_at is not None and campaign.closes_at <= at:
        raise Refusal("closing-time-past", "The closing time has passed. Change it first.")
    refuse_obstacles(campaign, at=at)
    change(campaign, by, action="open-campaign", reason=reason, opened_at=at, closed_at=None)


def close_campaign(*, campaign: Campaign, by: User, reason: str = "") -> None:
    at = clock.database_now()
    if campaign.stage(at=at) != CampaignStage.OPEN:
        raise Refusal("campaign-not-open", "The campaign is not open.")
    change(campaign, by, action="close-campaign", reason=reason, closed_at=at)


def publish_campaign(*, campaign: Campaign, by: User, reason: str = "") -> None:
    """Only a closed one, so that nobody judges knowing what others have answered."""
    at = clock.database_now()
    if campaign.stage(at=at) != CampaignStage.CLOSED:
        raise Refusal("campaign-not-closed", "Results can be published once the campaign is closed.")
    change(campaign, by, action="publish-campaign", reason=reason, published_at=at)


def change(campaign: Campaign, by: User, *, action: str, reason: str, **values: datetime | None) -> None:
    with transaction.atomic():
        Campaign.objects.filter(pk=campaign.pk).update(**values)
        audit.write(task=campaign.task, who=by, action=action, subject=campaign, reason=reason)
        dispatch.enqueue(ANALYSE_CAMPAIGN, campaign.pk)


def refuse_obstacles(campaign: Campaign, *, at: datetime) -> None:
    if sentences := obstacles(campaign.task, campaign.test_sets.all(), at=at):
        raise Refusal("trees-still-secret", " ".join(sentences))
