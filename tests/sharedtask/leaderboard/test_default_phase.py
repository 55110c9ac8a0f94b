"""Which phase a leaderboard shows unasked: one with results, and the ranking of record before others."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.standings.publish import publish_results
from tests.sharedtask.support.standing import close_now, compare, scored

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_worker", "dispatched")]

LEADERBOARD = "/tasks/blind/leaderboard/"


@pytest.fixture
def organiser(blind_task: Task) -> User:
    user = User.objects.create_user("organiser", password="a long password")
    blind_task.organisers.add(user)
    return user


@pytest.fixture
def test_phase(blind_task: Task) -> Phase:
    """It has closed; a development phase came before it, and post-evaluation is open and empty."""
    phase = blind_task.phases.get()
    add_phase(blind_task, "development", opens_at=phase.opens_at - timedelta(days=30))
    close_now(blind_task)
    add_phase(blind_task, "post-evaluation", opens_at=timezone.now() - timedelta(minutes=5))
    return Phase.objects.select_related("task").get(pk=phase.pk)


def add_phase(task: Task, kind: str, **values: object) -> Phase:
    phase = Phase.objects.create(
        task=task, code=kind[:4], kind=kind, title=kind.capitalize(), feedback="scores", **values
    )
    phase.test_sets.set(task.test_sets.all())
    return phase


def content(client: Client, address: str) -> str:
    return client.get(address).content.decode()


def test_an_empty_later_phase_does_not_hide_published_results(
    test_phase: Phase, organiser: User, client: Client
) -> None:
    scored(test_phase, "Ash", 0.9)
    compare(test_phase)
    publish_results(task=test_phase.task, by=organiser, reason="The workshop is over.")
    for address in ("/", LEADERBOARD):
        page = content(client, address)
        assert "Ash" in page, address
        assert "No results yet" not in page, address


def test_the_front_page_shows_the_ranking_of_record_rather_than_later_runs(
    test_phase: Phase, organiser: User, client: Client
) -> None:
    scored(test_phase, "Ash", 0.9)
    compare(test_phase)
    publish_results(task=test_phase.task, by=organiser, reason="The workshop is over.")
    later = test_phase.task.phases.get(kind="post-evaluation")
    scored(later, "Birch", 0.8)
    compare(later)
    page = content(client, "/")
    assert "Ash" in page
    assert "Birch" not in page


def test_between_closing_and_publishing_the_results_of_another_phase_are_shown(
    test_phase: Phase, organiser: User, client: Client
) -> None:
    development = test_phase.task.phases.get(kind="development")
    scored(development, "Cedar", 0.7)
    compare(development)
    scored(test_phase, "Ash", 0.9)
    compare(test_phase)
    for address in ("/", LEADERBOARD):
        page = content(client, address)
        assert "Cedar" in page, address
        assert "No results yet" not in page, address
        assert "Ash" not in page, address


def test_a_closed_phase_whose_results_are_not_published_is_named(
    test_phase: Phase, organiser: User, client: Client
) -> None:
    scored(test_phase, "Ash", 0.9)
    compare(test_phase)
    waiting = "Test phase has closed; its results have not been published yet."
    page = content(client, LEADERBOARD)
    assert waiting in page
    assert "Upload the first run" not in page, "these would not be the first"
    assert waiting in content(client, "/")
    publish_results(task=test_phase.task, by=organiser, reason="The workshop is over.")
    assert waiting not in content(client, LEADERBOARD)
    assert waiting not in content(client, "/")


def test_an_organiser_sees_the_test_before_it_is_published(
    test_phase: Phase, organiser: User, client: Client
) -> None:
    scored(test_phase, "Ash", 0.9)
    compare(test_phase)
    client.force_login(organiser)
    assert "Ash" in content(client, LEADERBOARD)
    assert "Ash" in content(client, "/")
