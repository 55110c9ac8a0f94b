"""What a viewer may see of campaigns of judgements.

This module gathers the facts from rows; `visibility.table` decides.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from sharedtask.accounts.roles import Viewer, role_of
from sharedtask.competition.models import Task, TestSet
from sharedtask.competition.task_access import facts_of_phase, gold_state
from sharedtask.judgements.models import Annotator, Campaign
from sharedtask.judgements.obstacles import obstacles
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Membership
from sharedtask.teams.team_access import team_of
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import Facts, GoldState, Role, Thing


def facts_of_campaign(
    campaign: Campaign, *, at: datetime, test_sets: Collection[TestSet] | None = None
) -> Facts:
    """Gold counts as released once that of all the test sets is; one blind phase makes the campaign blind."""
    if test_sets is None:
        return Facts(campaign=campaign.stage(at=at))
    states = {gold_state(test_set.gold_in_force, at=at) for test_set in test_sets}
    gold = GoldState.RELEASED if states == {GoldState.RELEASED} else GoldState.SEALED
    phases = [facts_of_phase(phase, at=at) for phase in campaign.phases]
    blindest = max(phases, key=lambda facts: facts.blind, default=Facts())
    return replace(blindest, campaign=campaign.stage(at=at), gold=gold)


def visible_campaigns(viewer: Viewer, task: Task, *, at: datetime) -> list[Campaign]:
    """Those whose results the viewer may see. Each has one query for nothing else."""
    role = role_of(viewer, task)
    campaigns = task.campaigns.filter(opened_at__isnull=False)
    return [c for c in campaigns if allowed(Thing.JUDGEMENTS, role, facts_of_campaign(c, at=at))]


def may_see_items(
    viewer: Viewer, campaign: Campaign, test_sets: Collection[TestSet], *, at: datetime
) -> bool:
    """Judgements by item, and metrics, on these test sets."""
    facts = facts_of_campaign(campaign, at=at, test_sets=test_sets)
    return allowed(Thing.JUDGED_ITEMS, role_of(viewer, campaign.task), facts)


def may_judge(annotator: Annotator, *, at: datetime) -> bool:
    """An excluded annotator, or a member of a team that takes part, sees no tree.

    Nor does anybody while a blind phase with a test set of the campaign is open again, by an extension or as
    a new phase.
    """
    campaign = annotator.campaign
    if annotator.excluded_at is not None or has_conflict(annotator.user, campaign):
        return False
    if not allowed(Thing.JUDGED_TREES, Role.ANNOTATOR, facts_of_campaign(campaign, at=at)):
        return False
    return may_preview(campaign, at=at)


def may_preview(campaign: Campaign, *, at: datetime) -> bool:
    """Organisers see trees when annotators may: not while a blind phase with a test set is open again."""
    return not obstacles(campaign.task, campaign.test_sets.all(), at=at)


def people_taking_part(campaign: Campaign) -> set[int]:
    """The members of the teams whose systems are compared."""
    teams = Run.objects.filter(campaign.is_compared()).values("team")
    return set(Membership.objects.filter(team__in=teams).values_list("user_id", flat=True))


def has_conflict(viewer: Viewer | None, campaign: Campaign) -> bool:
    """Whether a team of this person takes part in the campaign."""
    if viewer is None:
        return False
    team = team_of(viewer, campaign.task)
    if team is None:
        return False
    return campaign.pairs.filter(first__team=team).union(campaign.pairs.filter(second__team=team)).exists()
