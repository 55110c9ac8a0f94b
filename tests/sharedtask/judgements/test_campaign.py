"""Campaigns: when trees may be shown, who judges what, what is recorded, and what the results say."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
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
from sharedtask.judgements.analyse import AnalyseCampaign
from sharedtask.judgements.assign import assign_next, reassign_idle
from sharedtask.judgements.models import Annotator, Assignment, Campaign, Item
from sharedtask.submissions.models import Run
from sharedtask.submissions.withdraw import withdraw_run
from sharedtask.work import sweep
from tests.machinery.site import ROOT
from tests.sharedtask.support.standing import close_now

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]
Join = Callable[[str], Annotator]
SignedIn = Callable[[User], Client]


def answer_all(annotator: Annotator, choose: Callable[[Assignment], str]) -> int:
    """Judge everything there is, by the choice about the item's trees; returns how many."""
    number = 0
    while assignment := assign_next(annotator, at=clock.database_now()):
        choice = choose(assignment)
        answer = "=" if choice == "equal" else "1" if (choice == "first") != assignment.swapped else "2"
        judge.judge(
            annotator=annotator,
            assignment=assignment.public_id,
            answer=answer,
            seconds=2.5,
            at=clock.database_now(),
        )
        number += 1
    return number


def right_tree(assignment: Assignment) -> str:
    """The first system is right in sentences with an even number."""
    return "second" if int(assignment.item.text[-1]) % 2 else "first"


def wrong_tree(assignment: Assignment) -> str:
    return "first" if right_tree(assignment) == "second" else "second"


def analyse(work: Work) -> None:
    sweep.sweep(AnalyseCampaign(), at=clock.database_now())
    work()


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
    assert judge.undo(annotator=annotator) is True
    assert judge.judge(answer="2", at=at, **values) is True
    assert judge.undo(annotator=join("ben")) is False


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
    assert closed.status_code == 404
    actions = AuditEntry.objects.filter(subject__contains="a1 in").values_list("action", flat=True)
    assert set(actions) == {"exclude-annotator", "include-annotator"}


def test_items_of_a_withdrawn_system_are_not_given_and_do_not_count(
    campaign: Campaign, join: Join, runs: tuple[Run, Run], work: Work, member: User
) -> None:
    answer_all(join("ann"), lambda assignment: "first")
    withdraw_run(run=runs[0], by=member, reason="A mistake.")
    assert assign_next(join("ben"), at=clock.database_now()) is None
    analyse(work)
    assert campaign.result.analyses == []


def test_items_that_lie_idle_go_to_others(campaign: Campaign, join: Join, organiser: User) -> None:
    campaign.judgements_per_item = 1
    campaign.save()
    idle = join("ann")
    assignment = assign_next(idle, at=clock.database_now())
    assert assignment is not None
    Assignment.objects.update(assigned_at=timezone.now() - timedelta(days=4))
    assert reassign_idle(campaign=campaign, by=organiser) == 1
    again = assign_next(join("ben"), at=clock.database_now())
    assert again is not None and again.item_id == assignment.item_id
    assert judge.undo(annotator=idle) is False


def test_results_are_for_organisers_until_published_and_equal_those_of_the_command(
    campaign: Campaign, join: Join, work: Work, organiser: User, signed_in: SignedIn, tmp_path: Path
) -> None:
    for number, name in enumerate(("ann", "ben", "cem")):
        answer_all(join(name), lambda a, n=number: (right_tree if (a.item.number + n) % 4 else wrong_tree)(a))
    set_up.close_campaign(campaign=campaign, by=organiser)
    analyse(work)
    place = [campaign.task.slug, campaign.public_id]
    address = reverse("judgement-result", args=place)
    assert Client().get(address).status_code == 404
    own = signed_in(organiser).get(address).content.decode()
    assert "Agreement between annotators" in own and "Correlation of metrics with people" in own
    campaign.refresh_from_db()
    set_up.publish_campaign(campaign=campaign, by=organiser)
    assert Client().get(address).status_code == 200
    for table in ("agreement", "preference", "competence", "metrics", "length", "between-metrics"):
        for ending in ("csv", "tex"):
            file = Client().get(reverse("judgement-download", args=[*place, table, ending]))
            assert file.status_code == 200 and file.content
    documents = json.loads(
        Client().get(reverse("judgement-download", args=[*place, "judgements", "json"])).content
    )
    archive = Client().get(reverse("judgement-download", args=[*place, "judgements", "zip"]))
    assert b"ann\t" not in archive.content
    zipfile.ZipFile(io.BytesIO(archive.content)).extractall(tmp_path)
    (folder,) = tmp_path.glob("en_two-*")
    command = subprocess.run(
        [sys.executable, "-m", "evaluation", "judgements", str(folder), "--format", "json"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    offline = json.loads(command.stdout)
    (document,) = documents
    assert document["agreement"] == offline["agreement"]
    assert list(document["preference"].values()) == list(offline["preference"].values())
    assert document["metrics"]["UCP"] == offline["metrics"]["UCP"]


def test_before_gold_is_released_nothing_depends_on_it(
    campaign: Campaign, join: Join, work: Work, organiser: User, signed_in: SignedIn
) -> None:
    test_set = campaign.test_sets.get()
    gold = test_set.gold_in_force
    assert gold is not None
    type(gold).objects.filter(pk=gold.pk).update(released_at=None)
    answer_all(join("ann"), lambda assignment: "second")
    set_up.close_campaign(campaign=campaign, by=organiser)
    campaign.refresh_from_db()
    set_up.publish_campaign(campaign=campaign, by=organiser)
    analyse(work)
    place = [campaign.task.slug, campaign.public_id]
    item = campaign.items.filter(kind=Item.Kind.PAIR)[0].number
    for client in (Client(), signed_in(organiser)):
        page = client.get(reverse("judgement-result", args=place)).content.decode()
        assert "once gold of all test sets is released" in page
        assert "Spearman" not in page
        assert client.get(reverse("judged-item", args=[*place, item])).status_code == 404
        document = json.loads(
            client.get(reverse("judgement-download", args=[*place, "judgements", "json"])).content
        )
        assert document[0]["metrics"] == {} and "choices" not in document[0]["mace"]
        zipped = client.get(reverse("judgement-download", args=[*place, "judgements", "zip"]))
        assert zipped.status_code == 404


def test_organisers_tag_what_decided(
    campaign: Campaign, join: Join, work: Work, organiser: User, signed_in: SignedIn
) -> None:
    """All annotators prefer the tree with the wrong head, so that every item contradicts the metric."""
    for name in ("ann", "ben", "cem"):
        answer_all(join(name), wrong_tree)
    analyse(work)
    client = signed_in(organiser)
    place = [campaign.task.slug, campaign.public_id]
    page = client.get(reverse("judgement-result", args=place)).content.decode()
    assert "contradict the main metric" in page
    number = campaign.items.filter(kind=Item.Kind.PAIR)[0].number
    client.post(reverse("campaign-tag", args=[*place, number]), {"decided_by": ["attachment"]})
    shown = client.get(reverse("judged-item", args=[*place, number])).content.decode()
    assert "Tree 1 is by <bdi>Alder</bdi>" in shown and "checked" in shown
    table = client.get(reverse("judgement-download", args=[*place, "decided", "csv"])).content.decode()
    assert "attachment,1,100.0" in table


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
    assert b"0 of 5 judgements" in client.get(created["Location"]).content
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


def test_published_results_are_linked_from_the_tables(
    campaign: Campaign, organiser: User, client: Client
) -> None:
    tables = reverse("tables", args=[campaign.task.slug])
    assert campaign.title not in client.get(tables).content.decode()
    set_up.close_campaign(campaign=campaign, by=organiser)
    campaign.refresh_from_db()
    set_up.publish_campaign(campaign=campaign, by=organiser)
    assert campaign.title in client.get(tables).content.decode()


def test_no_tree_is_shown_while_a_blind_phase_with_the_test_set_is_open_again(
    campaign: Campaign, join: Join, signed_in: SignedIn
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
    assert client.post(reverse("judge-next", args=[campaign.public_id])).status_code == 404
    Phase.objects.filter(pk=again.pk).update(closes_at=timezone.now())
    assert b"<svg" in client.get(reverse("judge", args=[campaign.public_id])).content
