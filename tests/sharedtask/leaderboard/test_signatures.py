"""The signature under a table is that of the table: its metric, its test sets, and gold as it is public."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.competition.models import GoldVersion, Phase, Task
from sharedtask.standings.publish import publish_results
from tests.sharedtask.support.standing import close_now, compare, scored

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_worker", "dispatched")]

BOARD = "/tasks/tiny/leaderboard/"


@pytest.fixture
def stood(phase: Phase) -> Phase:
    scored(phase, "Ash", 0.9)
    scored(phase, "Birch", 0.8)
    compare(phase)
    return phase


def signature_on(client: Client, address: str) -> dict[str, str]:
    page = client.get(address).content.decode()
    (line,) = re.findall(r'<p class="signature">\s*<span>Signature</span> <code>([^<]+)</code>', page)
    return dict(part.split(":", 1) for part in line.split("|")[1:])


def test_a_board_by_another_metric_says_so(stood: Phase, client: Client) -> None:
    assert signature_on(client, BOARD)["metric"] == "LAS"
    assert signature_on(client, BOARD + "?metric=UAS")["metric"] == "UAS"
    assert json.loads(client.get("/tasks/tiny/leaderboard.json?metric=UAS").content)["signature"].count(
        "|metric:UAS|"
    )


def test_a_board_of_a_group_has_the_test_sets_and_the_gold_of_the_group(stood: Phase, client: Client) -> None:
    whole, big, small = (signature_on(client, BOARD + query) for query in ("", "?scope=big", "?scope=small"))
    assert whole["sets"].startswith("2-") and "groups" in whole
    for part, scope in ((big, "big"), (small, "small")):
        assert part["sets"].startswith("1-")
        assert part["scope"] == scope
        assert "groups" not in part
    assert len({each["sets"] for each in (whole, big, small)}) == 3
    assert len({each["gold"] for each in (whole, big, small)}) == 3
    assert big["seed"] == whole["seed"]


@pytest.mark.parametrize(
    ("address", "metric", "scope"),
    [
        ("matrix/?metric=UAS", "UAS", None),
        ("matrix/?scope=big", "LAS", "big"),
        ("sets/?metric=UAS", "UAS", None),
        ("sets/de_one/?metric=UAS", "UAS", "set:de_one"),
        ("compare/?metric=UAS&scope=big", "UAS", "big"),
        ("systems/", "LAS", None),
        ("systems/?metric=UAS", "UAS", None),
        ("tables/", "LAS", None),
    ],
)
def test_other_tables_of_results_have_their_own_signatures(
    stood: Phase, client: Client, address: str, metric: str, scope: str | None
) -> None:
    runs = "".join(f"&with={run}" for run in stood.runs.values_list("public_id", flat=True))
    fields = signature_on(client, f"/tasks/tiny/{address}{runs if 'compare' in address else ''}")
    assert (fields["metric"], fields.get("scope")) == (metric, scope)


def test_the_page_of_a_system_has_the_signature_of_its_metric(stood: Phase, client: Client) -> None:
    system = stood.runs.earliest("pk").system
    assert system is not None
    assert signature_on(client, f"/tasks/tiny/systems/{system.public_id}/?metric=UAS")["metric"] == "UAS"


def test_a_table_of_one_test_set_and_of_a_group_with_this_set_alone_have_the_same_gold(
    stood: Phase, client: Client
) -> None:
    result, group = (
        signature_on(client, "/tasks/tiny/sets/de_one/"),
        signature_on(client, BOARD + "?scope=big"),
    )
    assert (result["sets"], result["gold"]) == (group["sets"], group["gold"])


def test_a_published_signature_follows_the_release_of_gold(blind_task: Task, client: Client) -> None:
    organiser = User.objects.create_user("organiser", password="a long password")
    blind_task.organisers.add(organiser)
    close_now(blind_task)
    phase = blind_task.phases.select_related("task").get()
    scored(phase, "Ash", 0.9)
    standing = compare(phase)["official"]
    publish_results(task=blind_task, by=organiser, reason="The workshop is over.")
    page, document = "/tasks/blind/leaderboard/", f"/standings/{standing.public_id}.json"
    assert signature_on(client, page)["gold"].startswith("hmac-")
    assert "|gold:hmac-" in client.get(document).json()["signature"]
    first = blind_task.test_sets.order_by("code").first()
    GoldVersion.objects.filter(test_set=first).update(released_at=timezone.now())
    assert signature_on(client, page)["gold"].startswith("hmac-"), "one of two is still sealed"
    GoldVersion.objects.update(released_at=timezone.now())
    assert "hmac" not in signature_on(client, page)["gold"]
    assert "hmac" not in client.get(document).json()["signature"]
    assert "hmac" not in signature_on(client, page + "?scope=big")["gold"]


def test_a_release_of_gold_computes_nothing_again(blind_task: Task) -> None:
    close_now(blind_task)
    phase = blind_task.phases.select_related("task").get()
    scored(phase, "Ash", 0.9)
    before = compare(phase)["official"]
    GoldVersion.objects.update(released_at=timezone.now())
    assert compare(phase)["official"] == before


def test_files_for_papers_have_the_signature_that_follows_the_release(stood: Phase, client: Client) -> None:
    files = ("tables/matrix.tex", "tables/matrix.md", "cite.bib")
    GoldVersion.objects.update(released_at=None)
    sealed = [client.get(f"/tasks/tiny/{name}").content.decode() for name in files]
    GoldVersion.objects.update(released_at=timezone.now())
    released = [client.get(f"/tasks/tiny/{name}").content.decode() for name in files]
    for before, after in zip(sealed, released, strict=True):
        assert "gold:hmac-" in before and "gold:hmac-" not in after
