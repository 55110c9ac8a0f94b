"""Editing a campaign: all but its systems before it opens, what changes no judgement afterwards."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Task
from sharedtask.core.errors import Refusal
from sharedtask.judgements import set_up
from sharedtask.judgements.draw import items_of, record
from sharedtask.judgements.edit import edit_campaign
from sharedtask.judgements.models import Annotator, Campaign
from sharedtask.submissions.models import Run

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]


@pytest.fixture
def draft(task: Task, runs: tuple[Run, Run], organiser: User, work: Work) -> Campaign:
    """With ten items that have been drawn, not open yet."""
    campaign = set_up.create_campaign(
        task=task,
        by=organiser,
        runs=runs,
        test_sets=[task.test_sets.get(code="en_two")],
        title="A draft",
        items_per_pair=10,
    )
    set_up.request_items(campaign=campaign, by=organiser, pairs=[campaign.pairs.get().pk])
    work()
    campaign.refresh_from_db()
    assert campaign.items.count() == 10
    return campaign


def test_a_new_choice_of_items_discards_those_that_were_drawn(
    draft: Campaign, organiser: User, work: Work
) -> None:
    edit_campaign(campaign=draft, by=organiser, values={"title": "Another title", "seed": draft.seed})
    draft.refresh_from_db()
    assert draft.title == "Another title" and draft.items.count() == 10
    edit_campaign(campaign=draft, by=organiser, values={"items_per_pair": 4}, reason="Too many.")
    draft.refresh_from_db()
    assert draft.drawn_at is None and draft.items.count() == 0
    entry = AuditEntry.objects.filter(action="edit-campaign").latest("pk")
    assert entry.reason == "Too many." and entry.details["items_per_pair"] == "4"
    set_up.request_items(campaign=draft, by=organiser, pairs=[draft.pairs.get().pk])
    work()
    assert draft.items.count() == 4


def test_items_that_are_drawn_while_the_campaign_is_edited_are_discarded(
    draft: Campaign, organiser: User
) -> None:
    items = list(items_of(draft))
    assert items
    edit_campaign(campaign=draft, by=organiser, values={"items_per_pair": 3})
    record(draft, items)
    draft.refresh_from_db()
    assert draft.drawn_at is None and not draft.items.exists()


def test_once_open_only_what_changes_no_judgement_can_be_edited(
    campaign: Campaign, organiser: User, signed_in: Callable[[User], Client], join: Callable[[str], Annotator]
) -> None:
    address = reverse("campaign-edit", args=[campaign.task.slug, campaign.public_id])
    client = signed_in(organiser)
    page = client.get(address).content.decode()
    assert 'name="guidelines"' in page and 'name="items_per_pair"' not in page and 'name="runs"' not in page
    for name, value in (("seed", 8), ("allows_equal", False), ("consent", "Other"), ("test_sets", [])):
        with pytest.raises(Refusal) as refused:
            edit_campaign(campaign=campaign, by=organiser, values={name: value})
        assert refused.value.id == "campaign-has-opened"
    values = {
        "title": "New",
        "guidelines": "Look closely.",
        "judgements_per_item": "5",
        "content_tags": "NOUN, VERB",
    }
    assert client.post(address, values).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.guidelines, campaign.judgements_per_item) == ("Look closely.", 5)
    assert campaign.content_tags == ["NOUN", "VERB"]
    past = (timezone.now() - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%S")
    refused_page = client.post(address, values | {"closes_at": past})
    assert refused_page.status_code == 409 and b"in the future" in refused_page.content


def test_a_closed_campaign_gets_a_later_closing_time_and_a_published_one_only_a_title(
    campaign: Campaign, organiser: User
) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(closes_at=timezone.now() - timedelta(minutes=1))
    campaign.refresh_from_db()
    with pytest.raises(Refusal):
        set_up.open_campaign(campaign=campaign, by=organiser)
    later = timezone.now() + timedelta(days=1)
    edit_campaign(campaign=campaign, by=organiser, values={"closes_at": later})
    campaign.refresh_from_db()
    set_up.close_campaign(campaign=campaign, by=organiser)
    campaign.refresh_from_db()
    set_up.publish_campaign(campaign=campaign, by=organiser)
    with pytest.raises(Refusal):
        edit_campaign(campaign=campaign, by=organiser, values={"guidelines": "Too late."})
    assert edit_campaign(campaign=campaign, by=organiser, values={"title": "Published"})
    campaign.refresh_from_db()
    with pytest.raises(Refusal) as reopened:
        set_up.open_campaign(campaign=campaign, by=organiser)
    assert reopened.value.id == "campaign-has-opened"


def test_the_consent_text_stays_once_somebody_has_agreed(draft: Campaign, organiser: User) -> None:
    Annotator.objects.create(campaign=draft, user=User.objects.create_user("ann"), pseudonym="a1")
    with pytest.raises(Refusal) as refused:
        edit_campaign(campaign=draft, by=organiser, values={"consent": "Something else"})
    assert refused.value.id == "consent-given"


def test_no_text_for_annotators_names_a_system(
    draft: Campaign, organiser: User, task: Task, runs: tuple[Run, Run]
) -> None:
    for field in ("title", "guidelines", "consent"):
        with pytest.raises(Refusal) as refused:
            edit_campaign(campaign=draft, by=organiser, values={field: "Is birch or alder better?"})
        assert refused.value.id == "names-a-system"
    with pytest.raises(Refusal):
        set_up.create_campaign(
            task=task, by=organiser, runs=runs, test_sets=[], title="Alder – Birch", items_per_pair=1
        )
    assert edit_campaign(campaign=draft, by=organiser, values={"title": "Main question: birches?"})
