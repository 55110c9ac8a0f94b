"""Campaigns: when trees may be shown, who judges what, what is recorded, and what the results say."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Phase, Task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.judgements import annotators, judge, set_up
from sharedtask.judgements.assign import assign_next, reassign_idle
from sharedtask.judgements.models import Annotator, Assignment, Campaign, Item
from sharedtask.judgements.progress import progress_of
from sharedtask.submissions.models import Run
from sharedtask.submissions.withdraw import withdraw_run
from tests.sharedtask.support.judging import analyse, answer_all
from tests.sharedtask.support.standing import close_now

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]
Join = Callable[[str], Annotator]
SignedIn = Callable[[User], Client]


def test_items_are_drawn_without_names_of_systems(campaign: Campaign) -> None:
    items = list(campaign.items.all())
    assert [item.kind for item in items].count("pair") == 10
    assert [item.kind for item in items].count("repeat") == 1
    assert all(item.text.startswith("Birds sing loudly") for item in items)
    assert not any("Birch" in item.first_tree + item.second_tree for item in items)
    repeat = campaign.items.get(kind="repeat")
    assert repeat.repeats is not None and repeat.repeats.first_tree == repeat.first_tree
    assert repeat.number == 11


def test_a_campaign_waits_until_every_blind_phase_with_its_test_sets_has_closed(
    task: Task, phase: Phase, runs: tuple[Run, Run], organiser: User, signed_in: SignedIn
) -> None:
    campaign = set_up.create_campaign(
        task=task,
        by=organiser,
        runs=runs,
        test_sets=[task.test_sets.get(code="en_two")],
        title="Too early",
        items_per_pair=10,
    )
    other = Phase.objects.create(
        task=task,
        code="test",
        kind="test",
        title="Test",
        feedback="validity",
        opens_at=timezone.now() - timedelta(hours=1),
        closes_at=timezone.now() + timedelta(hours=1),
    )
    other.test_sets.set(task.test_sets.all())
    with pytest.raises(Refusal) as refused:
        set_up.request_items(campaign=campaign, by=organiser, pairs=[campaign.pairs.get().pk])
    assert refused.value.id == "trees-still-secret"
    page = signed_in(organiser).get(reverse("campaign", args=[task.slug, campaign.public_id]))
    assert b"Test is blind and has not closed for all teams yet (en_two)." in page.content
    close_now(task)
    set_up.request_items(campaign=campaign, by=organiser, pairs=[campaign.pairs.get().pk])


def test_every_item_gets_as_many_judgements_as_asked_and_orders_are_balanced(
    campaign: Campaign, join: Join
) -> None:
    people = [join(name) for name in ("ann", "ben", "cem", "dia")]
    numbers = [answer_all(person, lambda assignment: "first") for person in people]
    assert numbers == [11, 11, 11, 0]
    for person in people[:3]:
        swapped = [assignment.swapped for assignment in person.assignments.all()]
        assert abs(swapped.count(True) - swapped.count(False)) <= 1
    for item in campaign.items.filter(kind="pair"):
        assert item.assignments.judged().count() == 3


def test_whoever_comes_when_all_pairs_are_taken_gets_no_controls(
    campaign: Campaign, join: Join, signed_in: SignedIn
) -> None:
    campaign.judgements_per_item = 1
    campaign.save()
    last = campaign.items.latest("number")
    Item.objects.filter(pk=last.pk).update(kind=Item.Kind.CONTROL)
    assert answer_all(join("ann"), lambda assignment: "first") == campaign.items.count()
    late = join("ben")
    assert late.user is not None
    assert assign_next(late, at=clock.database_now()) is None
    page = signed_in(late.user).get(reverse("judge", args=[campaign.public_id])).content
    assert b"nothing to judge at the moment" in page


def test_the_number_of_items_left_does_not_tell_which_come_again(
    campaign: Campaign, join: Join, signed_in: SignedIn
) -> None:
    annotator = join("ann")
    assert annotator.user is not None
    client = signed_in(annotator.user)
    left = []
    while assignment := assign_next(annotator, at=clock.database_now()):
        page = client.get(reverse("judge", args=[campaign.public_id])).content.decode()
        left.append(int(page.partition("at most ")[2].partition(" left")[0]))
        address = reverse("judge-answer", args=[campaign.public_id, assignment.public_id])
        client.post(address, {"answer": "1"})
    assert left == list(range(11, 0, -1))


def test_whoever_joins_before_the_campaign_opens_can_begin_later(
    campaign: Campaign, join: Join, signed_in: SignedIn
) -> None:
    annotator = join("ann")
    assert annotator.user is not None
    client, address = signed_in(annotator.user), reverse("judge", args=[campaign.public_id])
    page = client.get(address).content.decode()
    assert "You can begin." in page and "nothing to judge" not in page
    client.post(reverse("judge-next", args=[campaign.public_id]))
    assert b"<svg" in client.get(address).content


def test_judgements_stay_when_the_account_is_deleted(
    campaign: Campaign, join: Join, organiser: User, signed_in: SignedIn
) -> None:
    annotator = join("ann")
    assert answer_all(annotator, lambda assignment: "first") == 11
    assert annotator.user is not None
    annotator.user.delete()
    page = signed_in(organiser).get(reverse("campaign", args=[campaign.task.slug, campaign.public_id]))
    assert b"no account" in page.content
    assert progress_of(campaign).judgements == 10


def test_systems_of_several_phases_are_compared(
    task: Task, runs: tuple[Run, Run], organiser: User, work: Work
) -> None:
    later = Phase.objects.create(
        task=task,
        code="later",
        kind="post",
        title="Later",
        feedback="scores",
        opens_at=timezone.now() - timedelta(hours=1),
    )
    later.test_sets.set(task.test_sets.all())
    Run.objects.filter(pk=runs[1].pk).update(phase=later)
    campaign = set_up.create_campaign(
        task=task,
        by=organiser,
        runs=Run.objects.filter(pk__in=[run.pk for run in runs]),
        test_sets=[task.test_sets.get(code="en_two")],
        title="Both phases",
        items_per_pair=4,
    )
    assert {phase.pk for phase in campaign.phases} == {runs[0].phase_id, later.pk}
    set_up.request_items(campaign=campaign, by=organiser, pairs=[campaign.pairs.get().pk])
    work()
    assert campaign.items.count() == 4


def test_annotators_get_only_languages_that_they_know(campaign: Campaign, organiser: User) -> None:
    token = annotators.invite(campaign=campaign, by=organiser)
    person = annotators.join(
        token=token,
        by=User.objects.create_user("hans"),
        languages={"German": "native"},
        at=clock.database_now(),
    )
    assert assign_next(person, at=clock.database_now()) is None


def test_a_member_of_a_team_that_takes_part_cannot_judge(
    campaign: Campaign, join: Join, member: User, signed_in: SignedIn, team: Any
) -> None:
    with pytest.raises(Refusal) as refused:
        join("member")
    assert refused.value.id == "annotator-takes-part"
    # Joining a team later takes the trees away again.
    annotator = join("ann")
    assert annotator.user is not None
    assign_next(annotator, at=clock.database_now())
    team.members.add(annotator.user, through_defaults={"task": campaign.task})
    page = signed_in(annotator.user).get(reverse("judge", args=[campaign.public_id]))
    assert b"cannot judge in it" in page.content
    assert b"<svg" not in page.content
    campaign.task.organisers.add(organiser := User.objects.create_user("another"))
    progress = signed_in(organiser).get(reverse("campaign", args=[campaign.task.slug, campaign.public_id]))
    assert progress.content.count(b"in a team that takes part") == 1


def test_an_invitation_for_an_address_works_for_that_address_only(
    campaign: Campaign, organiser: User
) -> None:
    token = annotators.invite(campaign=campaign, by=organiser, email="ann@example.org")
    with pytest.raises(Refusal) as refused:
        annotators.join(
            token=token,
            by=User.objects.create_user("ben"),
            languages={"English": "fluent"},
            at=clock.database_now(),
        )
    assert refused.value.id == "invitation-unusable"


def test_a_double_click_and_a_second_tab_change_nothing(campaign: Campaign, join: Join) -> None:
    annotator = join("ann")
    assignment = assign_next(annotator, at=clock.database_now())
    assert assignment is not None
    at = clock.database_now()
    values: dict[str, Any] = {"annotator": annotator, "assignment": assignment.public_id, "seconds": 1.0}
    assert judge.judge(answer="1", at=at, **values) is True
    assert judge.judge(answer="2", at=at, **values) is False
    assignment.refresh_from_db()
    assert assignment.choice == ("second" if assignment.swapped else "first")
    assert judge.undo(annotator=annotator, assignment=assignment.public_id) is True
    assert judge.judge(answer="2", at=at, **values) is True
    assert judge.undo(annotator=join("ben"), assignment=assignment.public_id) is False


def test_undo_sent_twice_takes_back_one_judgement(
    campaign: Campaign, join: Join, signed_in: SignedIn
) -> None:
    annotator = join("ann")
    assert annotator.user is not None
    client = signed_in(annotator.user)
    for _ in range(2):
        open_assignment = assign_next(annotator, at=clock.database_now())
        assert open_assignment is not None
        address = reverse("judge-answer", args=[campaign.public_id, open_assignment.public_id])
        client.post(address, {"answer": "1"})
    page = client.get(reverse("judge", args=[campaign.public_id])).content.decode()
    form = page.partition('id="undo"')[2].partition("</form>")[0]
    named = form.partition('name="assignment" value="')[2].partition('"')[0]
    for _ in range(2):
        undone = client.post(reverse("judge-undo", args=[campaign.public_id]), {"assignment": named})
        assert undone.status_code == 302
    assert [bool(row.choice) for row in annotator.assignments.all()] == [True, False, False]


def test_pages_of_annotators_name_no_system_and_no_gold(
    campaign: Campaign, join: Join, signed_in: SignedIn
) -> None:
    annotator = join("ann")
    assert annotator.user is not None
    client = signed_in(annotator.user)
    address = reverse("judge", args=[campaign.public_id])
    assert client.post(reverse("judge-next", args=[campaign.public_id])).status_code == 302
    for _ in range(11):
        page = client.get(address).content.decode()
        content = page[page.index("<main") :]
        for word in ("Alder", "Birch", "gold", "LAS", annotator.campaign.task.title):
            assert word not in content, word
        assert "obl" not in content and "Differences in words" in content
        assignment = annotator.assignments.open().get()
        answer = client.post(
            reverse("judge-answer", args=[campaign.public_id, assignment.public_id]),
            {"answer": "1", "seconds": "3.2"},
        )
        assert answer.status_code == 302
    assert b"nothing to judge" in client.get(address).content
    for name, arguments in (("campaign", 2), ("judgement-result", 2)):
        place = [campaign.task.slug, campaign.public_id][:arguments]
        assert client.get(reverse(name, args=place)).status_code == 404


def test_trees_are_for_annotators_alone_and_while_the_campaign_is_open(
    campaign: Campaign, join: Join, signed_in: SignedIn, organiser: User
) -> None:
    annotator = join("ann")
    assert annotator.user is not None
    assign_next(annotator, at=clock.database_now())
    address = reverse("judge", args=[campaign.public_id])
    assert b"<svg" in signed_in(annotator.user).get(address).content
    assert signed_in(User.objects.create_user("stranger")).get(address).status_code == 404
    annotators.exclude(annotator=annotator, by=organiser, reason="Fails the controls.")
    assert b"<svg" not in signed_in(annotator.user).get(address).content
    annotators.include(annotator=annotator, by=organiser, reason="A mistake.")
    assert b"<svg" in signed_in(annotator.user).get(address).content
    set_up.close_campaign(campaign=campaign, by=organiser)
    assert b"<svg" not in signed_in(annotator.user).get(address).content
    assignment = annotator.assignments.open().get()
    closed = signed_in(annotator.user).post(
        reverse("judge-answer", args=[campaign.public_id, assignment.public_id]), {"answer": "1"}
    )
    assert closed.status_code == 409 and b"Nothing was saved" in closed.content
    actions = AuditEntry.objects.filter(subject__contains="a1 in").values_list("action", flat=True)
    assert set(actions) == {"exclude-annotator", "include-annotator"}


def test_items_of_a_withdrawn_system_are_not_given_and_do_not_count(
    campaign: Campaign, join: Join, runs: tuple[Run, Run], work: Work, member: User
) -> None:
    answer_all(join("ann"), lambda assignment: "first")
    withdraw_run(run=runs[0], by=member, reason="A mistake.")
    assert assign_next(join("ben"), at=clock.database_now()) is None
    analyse(work)
    assert campaign.result.documents == []


def test_items_that_lie_idle_go_to_others(
    campaign: Campaign, join: Join, organiser: User, signed_in: SignedIn
) -> None:
    campaign.judgements_per_item = 1
    campaign.save()
    idle = join("ann")
    assignment = assign_next(idle, at=clock.database_now())
    assert assignment is not None
    Assignment.objects.update(assigned_at=timezone.now() - timedelta(days=4))
    assert reassign_idle(campaign=campaign, by=organiser) == 1
    again = assign_next(join("ben"), at=clock.database_now())
    assert again is not None and again.item_id == assignment.item_id
    assert judge.undo(annotator=idle, assignment=assignment.public_id) is False
    assert idle.user is not None
    address = reverse("judge-answer", args=[campaign.public_id, assignment.public_id])
    late = signed_in(idle.user).post(address, {"answer": "1"})
    assert late.status_code == 409 and b"it was reassigned" in late.content
    progress = progress_of(campaign).annotators[0]
    assert progress.skipped == 0 and progress.last_at is None
    log = signed_in(organiser).get(reverse("audit", args=[campaign.task.slug])).content.decode()
    assert "<dt>items</dt>" in log


def test_a_skipped_item_cannot_be_opened_again_once_others_have_it(
    campaign: Campaign, join: Join, signed_in: SignedIn
) -> None:
    campaign.judgements_per_item = 1
    campaign.save()
    ann = join("ann")
    assignment = assign_next(ann, at=clock.database_now())
    assert assignment is not None and ann.user is not None
    skipped: dict[str, Any] = {"annotator": ann, "assignment": assignment.public_id, "reason": "Too hard."}
    assert judge.skip(at=clock.database_now(), **skipped) is True
    assert judge.undo(annotator=ann, assignment=assignment.public_id) is True
    assert judge.skip(at=clock.database_now(), **skipped) is True
    other = assign_next(join("ben"), at=clock.database_now())
    assert other is not None and other.item_id == assignment.item_id
    undo = reverse("judge-undo", args=[campaign.public_id])
    page = signed_in(ann.user).post(undo, {"assignment": assignment.public_id})
    assert page.status_code == 409 and b"has been reassigned since" in page.content
    assert assignment.item.assignments.occupying().get() == other


def test_organisers_see_where_fewer_sentences_differ_than_they_asked_for(
    campaign: Campaign, organiser: User, signed_in: SignedIn
) -> None:
    page = reverse("campaign", args=[campaign.task.slug, campaign.public_id])
    assert b"sentences differ" not in signed_in(organiser).get(page).content
    campaign.test_sets.add(campaign.task.test_sets.get(code="de_one"))
    Campaign.objects.filter(pk=campaign.pk).update(items_per_pair=12)
    Item.objects.filter(campaign=campaign, number=1).delete()
    shown = " ".join(signed_in(organiser).get(page).content.decode().split())
    assert "Fewer sentences differ than the 12 asked for in 2 cases" in shown
    assert "(de_one), Alder – Birch: 0 items" in shown and "(en_two), Alder – Birch: 9 items" in shown


def test_an_organiser_sets_up_a_campaign_in_forms(
    task: Task, runs: tuple[Run, Run], organiser: User, work: Work, signed_in: SignedIn
) -> None:
    client = signed_in(organiser)
    values: dict[str, Any] = {
        "title": "By form",
        "runs": [run.public_id for run in runs],
        "test_sets": ["en_two"],
        "items_per_pair": "5",
        "sampling": "by-length",
        "judgements_per_item": "1",
        "controls": "0",
        "repeats": "0",
        "seed": "7",
    }
    new = reverse("new-campaign", args=[task.slug])
    refused = client.post(new, values | {"runs": [runs[0].public_id]})
    assert refused.status_code == 409 and b"at least two systems" in refused.content
    created = client.post(new, values)
    assert created.status_code == 302
    campaign = Campaign.objects.get()
    place = [task.slug, campaign.public_id]
    pair = campaign.pairs.get().pk
    client.post(reverse("campaign-draw", args=place), {"pairs": [str(pair)]})
    work()
    drawn = client.get(created["Location"]).content.decode()
    assert "0 of 5 judgements" in drawn and "sentences differ" not in drawn
    preview = client.get(reverse("campaign-preview", args=[*place, 1]))
    assert b"nothing is saved" in preview.content and b"<svg" in preview.content
    client.post(reverse("campaign-stage", args=[*place, "open"]))
    invited = client.post(reverse("campaign-invite", args=place), {"max_uses": "2"}).content.decode()
    link = invited.partition('value="http')[2].partition('"')[0]
    path = "/judge/join/" + link.partition("/judge/join/")[2]
    annotator = signed_in(User.objects.create_user("ann"))
    assert b"Which of these languages" in annotator.get(path).content
    assert annotator.post(path, {"language-0": "native"}).status_code == 400
    assert annotator.post(path, {"consent": "on"}).status_code == 400
    joined = annotator.post(path, {"language-0": "native", "consent": "on"})
    assert joined.status_code == 302
    assert b"Which tree is better?" in annotator.get(joined["Location"]).content


def test_no_tree_is_shown_while_a_blind_phase_with_the_test_set_is_open_again(
    campaign: Campaign, join: Join, signed_in: SignedIn, organiser: User
) -> None:
    annotator = join("ann")
    assert annotator.user is not None
    assign_next(annotator, at=clock.database_now())
    again = Phase.objects.create(
        task=campaign.task,
        code="again",
        kind="test",
        title="Once more",
        feedback="validity",
        opens_at=timezone.now() - timedelta(hours=1),
        closes_at=timezone.now() + timedelta(hours=1),
    )
    again.test_sets.set(campaign.test_sets.all())
    client = signed_in(annotator.user)
    paused = client.get(reverse("judge", args=[campaign.public_id])).content
    assert b"<svg" not in paused and b"The campaign is paused" in paused
    assert client.post(reverse("judge-next", args=[campaign.public_id])).status_code == 409
    place = [campaign.task.slug, campaign.public_id]
    preview = reverse("campaign-preview", args=[*place, 1])
    assert b"<svg" not in signed_in(organiser).get(preview, follow=True).content
    assert preview.encode() not in signed_in(organiser).get(reverse("campaign", args=place)).content
    Phase.objects.filter(pk=again.pk).update(closes_at=timezone.now())
    assert b"<svg" in signed_in(organiser).get(preview).content
    assert b"<svg" in client.get(reverse("judge", args=[campaign.public_id])).content
