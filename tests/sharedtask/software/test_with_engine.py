"""The example images through the site with real engines: submitted by tus, run, scored, on the board.

The one in awk on docker, the one in Python on podman.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from airlock.engine import Engine
from examples.build_image import build_image
from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.software import execute
from sharedtask.software.kinds import CheckImage
from sharedtask.software.models import Execution, StoredImage
from sharedtask.software.request_execution import request_execution
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.work.perform import perform
from tests.sharedtask.support.tus import Tus

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture(scope="module")
def awk_image() -> bytes:
    return build_image("awk")


@pytest.fixture
def real_engine(docker_engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Engine:
    return use(docker_engine, monkeypatch)


def use(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setattr(execute, "connect", lambda url, ulimit_shim: engine)
    return engine


def hand_in(member: User, team: Team, image: bytes) -> StoredImage:
    client = Client()
    client.force_login(member)
    tus = Tus(client)
    fields = {"purpose": "image", "system": team.primary_system.public_id, "filename": "awk.tar"}
    address = tus.begin(len(image), **fields)
    half = len(image) // 2
    assert tus.patch(address, 0, image[:half]).status_code == 204
    assert tus.offset(address) == half, "after a lost connection the rest is sent"
    assert tus.patch(address, half, image[half:]).status_code == 204
    return StoredImage.objects.get()


@pytest.mark.parametrize(("example", "engine"), [("awk", "docker_engine"), ("python", "podman_engine")])
def test_an_example_is_run_on_development_data_at_once_and_scored(
    example: str,
    engine: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    team: Team,
    task: Task,
    member: User,
    work: Callable[[], None],
    work_in_airlock: Callable[[], None],
) -> None:
    real_engine = use(request.getfixturevalue(engine), monkeypatch)
    Phase.objects.update(software=True)
    image = hand_in(member, team, build_image(example))
    check_image()
    image.refresh_from_db()
    assert image.state == StoredImage.State.READY, image.refusal
    execution = Execution.objects.get()
    work_in_airlock()
    work()
    execution.refresh_from_db()
    assert execution.state == Execution.State.DONE, execution.failure
    assert execution.outcome["exit_code"] == 0, execution.log
    run = Run.objects.get()
    assert run.state == Run.State.SCORED
    assert set(run.files.values_list("state", flat=True)) == {"valid"}
    # Of a run of milliseconds the engine may note the start after the end.
    assert execution.usage["wall_seconds"] >= 0
    assert execution.usage["cpu_seconds"] > 0
    assert execution.usage["peak_memory_bytes"] > 0
    board = Client().get(f"/tasks/{task.slug}/leaderboard/").content.decode()
    assert team.name in board
    assert real_engine.run_ids() == set(), "no container is left"


def check_image() -> None:
    """It requests an execution; the message waits for the airlock."""
    perform(CheckImage(), list(StoredImage.objects.values_list("public_id", flat=True)))


def test_a_blind_execution_by_a_click_is_scored_and_shows_its_team_nothing(
    blind_team: Team,
    member: User,
    real_engine: Engine,
    awk_image: bytes,
    work: Callable[[], None],
    work_in_airlock: Callable[[], None],
    dispatched: Any,
) -> None:
    Phase.objects.update(software=True)
    blind_team.task.test_sets.update(inputs_released_at="2099-01-01T00:00:00Z")
    hand_in(member, blind_team, awk_image)
    check_image()
    assert not Execution.objects.exists(), "a test phase is run by a click only"
    version = blind_team.primary_system.versions.get()
    execution = request_execution(version=version, phase=blind_team.task.phases.get(), by=member)
    work_in_airlock()
    work()
    execution.refresh_from_db()
    assert execution.run is not None
    execution.run.refresh_from_db()
    assert execution.run.state == Run.State.SCORED
    client = Client()
    client.force_login(member)
    page = client.get(execution.get_absolute_url()).content.decode()
    assert "Ended with exit code 0." in page
    run_page = client.get(execution.run.get_absolute_url()).content.decode()
    assert "Checked: 2 of 2 files are valid." in run_page
    hashes = execution.run.files.values_list("sha256", flat=True)
    assert not any(value in run_page + page for value in hashes)
