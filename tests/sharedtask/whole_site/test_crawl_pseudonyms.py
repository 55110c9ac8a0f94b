"""While a task shows teams under pseudonyms, no answer has the name of a team or of one of its systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from sharedtask.standings.models import Standing
from sharedtask.submissions.withdraw import withdraw_system
from sharedtask.teams.models import System
from tests.sharedtask.support.crawl import found_in
from tests.sharedtask.support.worlds import (
    START,
    TEST_CLOSES,
    TEST_OPENS,
    Time,
    Variant,
    World,
    archive,
    build,
    everything_for,
    standing_clock,
)

pytestmark = pytest.mark.django_db(transaction=True)
TEAM, PRIMARY, SECONDARY = "Canaririvals", "Canariprimary", "Canarisecondary"
# What visitors find of the rival's runs, so that the search is known to have come by them.
PAGES = (
    "/tasks/mini/leaderboard/?phase=dev",
    "/tasks/mini/leaderboard.json",
    "/tasks/mini/leaderboard.csv",
    "/tasks/mini/leaderboard.tex",
    "/tasks/mini/leaderboard.md",
    "/tasks/mini/matrix.csv",
)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Iterator[Time]:
    with standing_clock(monkeypatch) as time:
        yield time


@pytest.fixture
def world(db: None, time: Time, dispatched: Any, work: Callable[[], None]) -> World:
    """Both teams have scored runs where everybody sees scores; the rival has one of a second system too."""
    world = build(Variant())
    world.teams["rival"].systems.update(name=PRIMARY)
    second = System.objects.create(team=world.teams["rival"], name=SECONDARY)
    time.move(START)
    upload(world, "member", "dev", lemma="alder")
    upload(world, "rival", "dev", lemma="yew", head=1)
    upload(world, "rival", "dev", lemma="yew", system=second.public_id)
    time.move(TEST_OPENS)
    upload(world, "rival", "test", lemma="yew")
    upload(world, "rival", "test", lemma="yew", system=second.public_id)
    work()
    return world


def upload(world: World, name: str, phase: str, *, lemma: str, head: int = 2, **form: str) -> None:
    codes = "de_dev" if phase == "dev" else "de_one en_two"
    file = SimpleUploadedFile("run.zip", archive(codes, lemma=lemma, head=head))
    form |= {"phase": phase}
    answer = world.client(name).post("/tasks/mini/upload/", {**form, "archive": file})
    assert answer.status_code == 302, answer.content.decode()


@pytest.mark.parametrize("name", ["visitor", "member"])
def test_nobody_else_finds_the_names_of_a_team_and_its_systems(world: World, name: str) -> None:
    answers = everything_for(world, name)
    assert found_in("Yewpseudonym", answers)
    for address in PAGES:
        assert answers[address].status == 200
        assert address in found_in("Yewpseudonym", answers)
    for word in (TEAM, PRIMARY, SECONDARY):
        assert found_in(word, answers) == [], word


def test_the_systems_of_a_team_are_told_apart_all_the_same(world: World) -> None:
    document = world.client("visitor").get("/tasks/mini/leaderboard.json").json()
    rivals = [system["system"] for system in document["systems"] if system["team"] == "Yewpseudonym"]
    assert len(set(rivals)) == len(rivals) == 2


def test_a_search_for_a_hidden_name_finds_nothing(world: World) -> None:
    for word in (PRIMARY, SECONDARY, TEAM):
        document = world.client("visitor").get("/tasks/mini/leaderboard.json", {"q": word}).json()
        assert document["systems"] == []


def named_to(world: World, name: str) -> str:
    """Every standing and every page of a run of the rival's, one after the other."""
    client = world.client(name)
    addresses = [f"/standings/{item.public_id}.json" for item in Standing.objects.filter(phase__code="dev")]
    addresses += [f"/runs/{run.public_id}/" for run in world.teams["rival"].runs.filter(phase__code="dev")]
    return "".join(client.get(address).content.decode() for address in addresses)


@pytest.mark.parametrize("name", ["rival", "organiser"])
def test_the_team_and_the_organisers_find_them(world: World, name: str) -> None:
    text = named_to(world, name)
    assert all(word in text for word in (PRIMARY, SECONDARY, TEAM))


def test_a_withdrawn_system_is_not_named_either(world: World) -> None:
    rival = world.people["rival"]
    for system in world.teams["rival"].systems.all():
        withdraw_system(system=system, by=rival)  # type: ignore[arg-type]
    answers = everything_for(world, "visitor")
    assert found_in("was withdrawn", answers)
    for word in (TEAM, PRIMARY, SECONDARY):
        assert found_in(word, answers) == [], word


def test_everybody_finds_them_once_results_are_published(world: World, time: Time) -> None:
    assert not any(word in named_to(world, "visitor") for word in (PRIMARY, SECONDARY, TEAM))
    time.move(TEST_CLOSES)
    world.task.results_published_at = TEST_CLOSES
    world.task.save()
    assert all(word in named_to(world, "visitor") for word in (PRIMARY, SECONDARY, TEAM))
