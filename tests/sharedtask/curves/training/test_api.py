"""Trainings through the API: started, listed, stopped and continued by the team alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.curves.models import Training
from sharedtask.software.models import SystemVersion
from tests.sharedtask.support.calling import Caller
from tests.sharedtask.support.scripted_engine import ScriptedEngine
from tests.sharedtask.support.sending import Sent

pytestmark = pytest.mark.django_db(transaction=True)
SIZES = [5, 10, 20]


@pytest.fixture
def address(version: SystemVersion) -> str:
    return f"/images/{version.image.public_id}/trainings"


def start(caller: Caller, address: str, **fields: Any) -> dict[str, Any]:
    document: dict[str, Any] = caller.post(
        address, {"sizes": SIZES, "samples": 1} | fields, status=201, key="once"
    )
    return document


def test_a_training_is_started_followed_stopped_and_continued(
    address: str,
    task: Task,
    phase: Phase,
    member: User,
    engine: ScriptedEngine,
    run_queued: Callable[..., int],
    work: Callable[[], None],
    run_all: Callable[[], None],
) -> None:
    caller = Caller(member)
    started = start(caller, address)
    assert start(caller, address) == started, "the same key starts nothing again"
    assert (started["phase"], started["state"], started["sizes"]) == (phase.code, "under way", SIZES)
    assert [sample["status"] for sample in started["samples"]] == ["waiting"] * 3
    work()
    run_queued(1)
    work()
    stopped = caller.post(f"/trainings/{started['id']}/stop")
    assert stopped["state"] == "stopped"
    assert [sample["status"] for sample in stopped["samples"]] == ["trained", "missing", "missing"]
    assert stopped["samples"][1]["reason"] == "Stopped."
    assert caller.post(f"/trainings/{started['id']}/stop", status=409)["id"] == "training-has-ended"
    assert caller.post(f"/trainings/{started['id']}/continue")["state"] == "under way"
    run_all()
    ended = caller.get(f"/trainings/{started['id']}")
    assert (ended["state"], ended["sentence"]) == ("ended", "3 of 3 samples trained.")
    assert all(sample["run"] and sample["execution"] for sample in ended["samples"])
    assert caller.get(f"/tasks/{task.slug}/trainings")["items"] == [ended]
    assert ended["series"].endswith(f"/curves/{ended['system']['id']}/{phase.code}/")


def test_trainings_are_for_their_team_and_seen_by_organisers(
    address: str, task: Task, member: User, dispatched: list[Sent]
) -> None:
    own, stranger = Caller(member), Caller(User.objects.create_user("stranger"))
    user = User.objects.create_user("organiser")
    task.organisers.add(user)
    organiser = Caller(user, ["read", "submit", "organise"])
    stranger.post(address, {"sizes": SIZES}, status=404)
    Caller(member, ["read"]).post(address, {"sizes": SIZES}, status=403)
    training = start(own, address)["id"]
    for path, items in ((f"/trainings/{training}", None), (f"/tasks/{task.slug}/trainings", 1)):
        Caller().get(path, status=401)
        for caller in (own, organiser):
            document = caller.get(path)
            assert items is None or len(document["items"]) == items
    stranger.get(f"/trainings/{training}", status=404)
    assert stranger.get(f"/tasks/{task.slug}/trainings")["items"] == []
    for caller in (stranger, organiser):
        for act in ("stop", "continue"):
            caller.post(f"/trainings/{training}/{act}", status=404)
    assert Training.objects.get().is_under_way


@pytest.mark.parametrize(
    ("fields", "status", "id"),
    [
        ({"sizes": [10, 5, 20]}, 409, "not-a-series"),
        ({"sizes": [5, 10, 31]}, 409, "not-a-series"),
        ({"samples": 50}, 409, "too-many-samples"),
        ({"phase": "nothing"}, 409, "training-without-phase"),
        ({"sizes": [5, 10]}, 422, None),
        ({"sizes": ["a", 5, 10]}, 422, None),
    ],
)
def test_what_cannot_be_trained_is_refused_in_words(
    address: str, member: User, fields: dict[str, Any], status: int, id: str | None
) -> None:
    problem = Caller(member).post(address, {"sizes": SIZES} | fields, status=status)
    assert id is None or problem["id"] == id
    assert not Training.objects.exists()
