"""Several things at the same moment: two annotators, two clicks, an answer and the end of a campaign."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from django.test import Client
from django.urls import reverse

from sharedtask.accounts.models import User
from sharedtask.core import clock
from sharedtask.judgements import annotators, judge, set_up
from sharedtask.judgements.assign import assign_next
from sharedtask.judgements.models import Annotator, Assignment, Campaign
from sharedtask.submissions.models import Run
from sharedtask.submissions.withdraw import withdraw_run
from tests.sharedtask.support.concurrency import at_once

pytestmark = pytest.mark.django_db(transaction=True)
Join = Callable[[str], Annotator]


def test_annotators_at_the_same_moment_share_the_items_and_none_gets_too_many(
    campaign: Campaign, join: Join
) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(judgements_per_item=1)
    people = [join(name) for name in ("ann", "ben", "cem", "dia")]
    for person in people:
        person.campaign.refresh_from_db()
    at = clock.database_now()
    given = at_once(*(partial(assign_next, person, at=at) for person in people))
    items = [assignment.item_id for assignment in given if assignment]
    assert len(set(items)) == len(people)


def test_two_clicks_at_the_same_moment_are_one_judgement_and_one_next_item(
    campaign: Campaign, join: Join
) -> None:
    annotator = join("ann")
    assignment = assign_next(annotator, at=clock.database_now())
    assert assignment is not None and annotator.user is not None
    client = Client()
    client.force_login(annotator.user)
    address = reverse("judge-answer", args=[campaign.public_id, assignment.public_id])
    cookies = client.cookies

    def click(answer: str) -> int:
        other = Client()
        other.cookies = cookies
        return other.post(address, {"answer": answer, "seconds": "1.0"}).status_code

    assert at_once(*(partial(click, answer) for answer in ("1", "2", "1"))) == [302, 302, 302]
    assert annotator.assignments.judged().count() == 1
    assert annotator.assignments.open().count() == 1


def test_people_who_follow_a_link_at_the_same_moment_get_different_pseudonyms_and_no_more_places(
    campaign: Campaign, organiser: User
) -> None:
    token = annotators.invite(campaign=campaign, by=organiser, max_uses=2)
    users = [User.objects.create_user(f"person{number}") for number in range(3)]

    def join(user: User) -> str:
        try:
            annotator = annotators.join(
                token=token, by=user, languages={"English": "native"}, at=clock.database_now()
            )
        except annotators.Refusal as refusal:
            return refusal.id
        return annotator.pseudonym

    assert sorted(at_once(*(partial(join, user) for user in users))) == ["a1", "a2", "invitation-unusable"]


def test_an_answer_to_a_closed_campaign_or_about_a_withdrawn_system_is_not_lost_silently(
    campaign: Campaign, join: Join, organiser: User, runs: tuple[Run, Run], member: User
) -> None:
    """The system is withdrawn while an item lies open: the item is not shown and no longer asked for."""
    annotator = join("ann")
    assignment = assign_next(annotator, at=clock.database_now())
    assert assignment is not None and annotator.user is not None
    client = Client()
    client.force_login(annotator.user)
    page = reverse("judge", args=[campaign.public_id])
    address = reverse("judge-answer", args=[campaign.public_id, assignment.public_id])
    withdraw_run(run=runs[0], by=member, reason="A mistake.")
    shown = client.get(page).content
    assert b"<svg" not in shown and b"nothing to judge" in shown
    answered = client.post(address, {"answer": "1"})
    assert answered.status_code == 409 and b"no longer part of the campaign" in answered.content
    assert not Assignment.objects.judged().exists()
    set_up.close_campaign(campaign=campaign, by=organiser)
    closed = client.post(address, {"answer": "1"})
    assert closed.status_code == 409 and b"The campaign is closed" in closed.content
    assert judge.undo(annotator=annotator, assignment=assignment.public_id) is False
