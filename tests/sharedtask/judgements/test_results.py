"""Results of a campaign: for whom, the same as offline, as tables, and again after export and import."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.judgements import set_up
from sharedtask.judgements.draw import items_of
from sharedtask.judgements.models import Annotator, Assignment, Campaign, Item
from sharedtask.submissions.models import Run
from sharedtask.submissions.withdraw import withdraw_run
from sharedtask.teams.register import register
from tests.machinery.site import ROOT
from tests.sharedtask.judgements.conftest import WRONG, sentences
from tests.sharedtask.support.building import SECOND, good_archive
from tests.sharedtask.support.judging import analyse, answer_all, published_campaign, right_tree, wrong_tree

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]
Join = Callable[[str], Annotator]
SignedIn = Callable[[User], Client]
DETAILS = ("agreement", "preference", "competence", "metrics", "length", "items", "consistency")
TABLES = (*DETAILS, *(f"table-{number}" for number in range(1, 7)))


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
    for table in TABLES:
        for ending in ("csv", "tex"):
            file = Client().get(reverse("judgement-download", args=[*place, table, ending]))
            assert file.status_code == 200 and file.content
    documents = json.loads(
        Client().get(reverse("judgement-download", args=[*place, "judgements", "json"])).content
    )
    archive = Client().get(reverse("judgement-download", args=[*place, "judgements", "zip"]))
    assert b"ann\t" not in archive.content
    zipfile.ZipFile(io.BytesIO(archive.content)).extractall(tmp_path)
    folder = tmp_path / "en_two"
    command = subprocess.run(
        [sys.executable, "-m", "evaluation", "judgements", str(folder), "--format", "json"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    offline = json.loads(command.stdout)
    (document,) = documents["analyses"]
    assert document["agreement"] == offline["agreement"]
    assert list(document["preference"].values()) == list(offline["preference"].values())
    assert document["metrics"]["UCP"] == offline["metrics"]["UCP"]
    assert document["agreement_intervals"] == offline["agreement_intervals"]
    assert document["mace"]["competence"] == offline["mace"]["competence"]
    assert document["sentences"] == offline["sentences"]


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
        (analysis,) = document["analyses"]
        assert analysis["metrics"] == analysis["performance"] == {} and "choices" not in analysis["mace"]
        assert analysis["sentences"]["mean_depth"] is None
        zipped = client.get(reverse("judgement-download", args=[*place, "judgements", "zip"]))
        assert zipped.status_code == 404


def test_others_see_no_metric_while_the_phase_of_a_run_is_blind(
    campaign: Campaign, join: Join, work: Work, organiser: User, signed_in: SignedIn
) -> None:
    """Gold is released, but the scores of the phase are not published."""
    answer_all(join("ann"), right_tree)
    Phase.objects.filter(task=campaign.task).update(feedback="validity", closes_at=timezone.now())
    set_up.close_campaign(campaign=campaign, by=organiser)
    campaign.refresh_from_db()
    set_up.publish_campaign(campaign=campaign, by=organiser)
    analyse(work)
    place = [campaign.task.slug, campaign.public_id]
    item = reverse("judged-item", args=[*place, campaign.items.earliest("number").number])
    address = reverse("judgement-download", args=[*place, "judgements", "json"])
    (public,), (own,) = (
        json.loads(client.get(address).content)["analyses"] for client in (Client(), signed_in(organiser))
    )
    assert public["agreement"] == own["agreement"] and public["preference"] == own["preference"]
    assert public["metrics"] == public["performance"] == {} and "choices" not in public["mace"]
    assert own["metrics"]["LAS"]["spearman"] == pytest.approx(1)
    assert Client().get(item).status_code == 404 and signed_in(organiser).get(item).status_code == 200
    zipped = reverse("judgement-download", args=[*place, "judgements", "zip"])
    assert Client().get(zipped).status_code == 404 and signed_in(organiser).get(zipped).status_code == 200


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
    client.post(reverse("campaign-tag", args=[*place, number + 1]), {"decided_by": ["root", "label"]})
    table = client.get(reverse("judgement-download", args=[*place, "table-7", "csv"])).content.decode()
    assert table.splitlines()[1] == "Alder – Birch,en_two,100,50,50,10,8"


def test_nothing_of_a_withdrawn_system_is_shown_from_that_moment(
    campaign: Campaign, join: Join, work: Work, organiser: User, runs: tuple[Run, Run], member: User
) -> None:
    answer_all(join("ann"), wrong_tree)
    set_up.close_campaign(campaign=campaign, by=organiser)
    campaign.refresh_from_db()
    set_up.publish_campaign(campaign=campaign, by=organiser)
    analyse(work)
    place = [campaign.task.slug, campaign.public_id]
    number = campaign.items.filter(kind=Item.Kind.PAIR)[0].number
    item = reverse("judged-item", args=[*place, number])
    assert Client().get(item).status_code == 200 and all_figures(place)["analyses"]
    withdraw_run(run=runs[0], by=member, reason="A mistake.")
    assert Client().get(item).status_code == 404
    assert all_figures(place)["analyses"] == []
    assert "Alder" not in Client().get(reverse("judgement-result", args=place)).content.decode()


def test_published_results_are_linked_from_the_tables(
    campaign: Campaign, organiser: User, client: Client
) -> None:
    tables = reverse("tables", args=[campaign.task.slug])
    assert campaign.title not in client.get(tables).content.decode()
    set_up.close_campaign(campaign=campaign, by=organiser)
    campaign.refresh_from_db()
    set_up.publish_campaign(campaign=campaign, by=organiser)
    assert campaign.title in client.get(tables).content.decode()


@pytest.mark.usefixtures("as_worker")
def test_an_exported_campaign_that_is_loaded_again_has_the_same_results(
    campaign: Campaign, join: Join, work: Work, organiser: User, signed_in: SignedIn, tmp_path: Path
) -> None:
    for number, name in enumerate(("ann", "ben", "cem")):
        answer_all(join(name), lambda a, n=number: (right_tree if (a.item.number + n) % 4 else wrong_tree)(a))
    Item.objects.filter(campaign=campaign, number=1).update(decided_by=["root"])
    Campaign.objects.filter(pk=campaign.pk).update(sampling="by-length", consent="I *agree*.")
    Assignment.objects.update(seconds=F("position"))
    # Gold has no such sentence, so the item has no metrics.
    Item.objects.filter(campaign=campaign, number=2).update(end=1)
    set_up.close_campaign(campaign=campaign, by=organiser)
    campaign.refresh_from_db()
    set_up.publish_campaign(campaign=campaign, by=organiser)
    analyse(work)
    place = [campaign.task.slug, campaign.public_id]
    archive = tmp_path / "export.zip"
    archive.write_bytes(
        Client().get(reverse("judgement-download", args=[*place, "judgements", "zip"])).content
    )
    call_command("load_judgements", str(archive), slug="again", stdout=io.StringIO())
    loaded = Campaign.objects.get(task__slug="again")
    again = ["again", loaded.public_id]
    assert all_figures(place)["analyses"][0]["without_metrics"] == 1
    assert all_figures(again) == all_figures(place)
    assert loaded.items.get(number=1).decided_by == ["root"]
    assert (loaded.sampling, loaded.consent) == ("by-length", "I *agree*.")
    for table in TABLES:
        addresses = [reverse("judgement-download", args=[*where, table, "csv"]) for where in (place, again)]
        assert Client().get(addresses[0]).content == Client().get(addresses[1]).content
    # Loading it once more changes nothing.
    call_command("load_judgements", str(archive), slug="again", stdout=io.StringIO())
    assert Campaign.objects.filter(task__slug="again").count() == 1


def all_figures(place: list[str]) -> Any:
    address = reverse("judgement-download", args=[*place, "judgements", "json"])
    return json.loads(Client().get(address).content)


@pytest.mark.usefixtures("as_worker")
def test_an_export_with_several_pairs_is_loaded_again(
    task: Task,
    runs: tuple[Run, Run],
    upload: Callable[..., Run],
    organiser: User,
    work: Work,
    tmp_path: Path,
) -> None:
    """The systems differ in one of the two test sets only."""
    cedar = register(task=task, name="Cedar", members=[User.objects.create_user("cedar")], confirmed=True)
    third = upload(good_archive(en_two=sentences(lambda n: WRONG if n % 3 else SECOND)), team=cedar)
    work()
    campaign = published_campaign(task, [*runs, third], organiser)
    analyse(work)
    place = [task.slug, campaign.public_id]
    archive = tmp_path / "export.zip"
    archive.write_bytes(
        Client().get(reverse("judgement-download", args=[*place, "judgements", "zip"])).content
    )
    assert not [name for name in zipfile.ZipFile(archive).namelist() if name.startswith("de_one")]
    call_command("load_judgements", str(archive), slug="again", stdout=io.StringIO())
    loaded = Campaign.objects.get(task__slug="again")
    of_pairs = overall(place)
    assert len(of_pairs) == 3
    assert overall(["again", loaded.public_id]) == of_pairs


def test_repeated_items_are_of_all_pairs(
    task: Task, runs: tuple[Run, Run], upload: Callable[..., Run], organiser: User, work: Work
) -> None:
    cedar = register(task=task, name="Cedar", members=[User.objects.create_user("cedar")], confirmed=True)
    third = upload(good_archive(en_two=sentences(lambda n: WRONG if n % 3 else SECOND)), team=cedar)
    work()
    campaign = set_up.create_campaign(
        task=task,
        by=organiser,
        runs=[*runs, third],
        test_sets=[task.test_sets.get(code="en_two")],
        title="Three pairs",
        items_per_pair=4,
        repeats=6,
    )
    repeats = [item for item in items_of(campaign) if item.kind == Item.Kind.REPEAT]
    assert len(repeats) == 6
    assert len({item.pair for item in repeats}) > 2


def overall(place: list[str]) -> dict[tuple[str, ...], Any]:
    """By systems: what is said of all test sets together, which have other names once they are loaded."""
    return {
        tuple(analysis.pop("systems")): analysis
        for analysis in all_figures(place)["analyses"]
        if analysis["test_set"] == "all"
    }
