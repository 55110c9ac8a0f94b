"""The questionnaire in one table, and who built a system on boards; to everybody only after publication."""

from __future__ import annotations

import csv
import io

import pytest
from django.test import Client
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Membership, System, Team
from tests.sharedtask.support.people import person
from tests.sharedtask.support.standing import assert_queries_do_not_grow, compare, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_worker")]
PAGE = "/tasks/tiny/systems/"
ANSWERS = {"parser": ["graph", "transition"], "software": "a toolkit", "gone": "a removed question"}


@pytest.fixture
def runs(phase: Phase) -> list[Run]:
    Task.objects.update(replicates=10)
    phase.task.refresh_from_db()
    items = [scored(phase, "Ash", 0.9), scored(phase, "Birch", 0.8)]
    Team.objects.filter(name="Birch").update(affiliation="A & B University")
    System.objects.filter(team__name="Birch").update(
        questionnaire=ANSWERS, paper_url="https://example.org/paper", code_url="https://example.org/code"
    )
    compare(phase)
    return items


def publish() -> None:
    Task.objects.update(results_published_at=timezone.now())


def table(client: Client) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get("/tasks/tiny/tables/systems.csv").content.decode())))


def test_the_questionnaires_are_one_table(client: Client, runs: list[Run]) -> None:
    publish()
    ash, birch = table(client)
    assert list(birch) == ["Rank", "Team", "Affiliation", "Parser", "Software", "Paper", "Code"]
    assert birch["Parser"] == "graph-based, transition-based"
    assert (birch["Rank"], birch["Affiliation"], birch["Paper"]) == (
        "2",
        "A & B University",
        "https://example.org/paper",
    )
    assert ash["Parser"] == ash["Code"] == "–"
    page = client.get(PAGE).content.decode()
    for text in (
        "graph-based, transition-based",
        "a toolkit",
        "A &amp; B University",
        "https://example.org/code",
    ):
        assert text in page
    assert r"A \& B University" in client.get("/tasks/tiny/tables/systems.tex").content.decode()


def test_answers_and_links_are_for_the_team_alone_until_publication(client: Client, runs: list[Run]) -> None:
    secrets = ("graph-based", "a toolkit", "example.org")
    for page in (
        PAGE,
        "/tasks/tiny/tables/systems.csv",
        "/tasks/tiny/leaderboard/",
        "/tasks/tiny/leaderboard.json",
    ):
        body = client.get(page).content.decode()
        assert not [secret for secret in secrets if secret in body], page
    member = person("birch")
    Membership.objects.create(team=runs[1].team, task=runs[1].task, user=member)
    client.force_login(member)
    assert "a toolkit" in client.get(PAGE).content.decode()
    client.force_login(User.objects.create_superuser("organiser"))
    assert "a toolkit" in client.get(PAGE).content.decode()


def test_boards_have_affiliations_and_links(client: Client, runs: list[Run]) -> None:
    assert "A &amp; B University" in client.get("/tasks/tiny/leaderboard/").content.decode()
    publish()
    page = client.get("/tasks/tiny/leaderboard/").content.decode()
    assert 'href="https://example.org/paper"' in page and 'aria-label="Code of Birch"' in page
    birch = client.get("/tasks/tiny/leaderboard.json").json()["systems"][1]
    assert (birch["affiliation"], birch["code"]) == ("A & B University", "https://example.org/code")


def test_an_affiliation_does_not_reveal_a_pseudonym(client: Client, runs: list[Run]) -> None:
    Task.objects.update(pseudonymous=True)
    Team.objects.filter(name="Birch").update(pseudonym="Team Quiet")
    for page in (
        PAGE,
        "/tasks/tiny/tables/systems.csv",
        "/tasks/tiny/leaderboard/",
        "/tasks/tiny/leaderboard.json",
    ):
        body = client.get(page).content.decode()
        assert "Team Quiet" in body and "University" not in body, page


def test_the_number_of_queries_does_not_grow(client: Client, phase: Phase) -> None:
    assert_queries_do_not_grow(client, phase, (PAGE,), most=20)
