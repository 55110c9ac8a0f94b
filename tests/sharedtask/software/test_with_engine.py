"""The example images through the site with real engines: submitted by tus, run, scored, on the board.

The one in awk on docker, the one in Python on podman.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from airlock.engine import Engine
from evaluation.cli import main
from evaluation.client import software
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
from tests.sharedtask.support.calling import secret_of
from tests.sharedtask.support.in_process import client_with
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


def test_the_command_tries_an_image_submits_it_and_shows_its_log(
    team: Team,
    member: User,
    docker_engine: Engine,
    awk_image: bytes,
    work: Callable[[], None],
    work_in_airlock: Callable[[], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    use(docker_engine, monkeypatch)
    monkeypatch.setenv("ARBORETUM_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("DOCKER_HOST", docker_engine.facts.url)
    Phase.objects.update(software=True)
    client = client_with(secret_of(member))
    for command in ("inputs", "submit", "logs"):
        monkeypatch.setattr(f"evaluation.cli.{command}.client_of", lambda arguments: client)

    def workers(seconds: float) -> None:
        """They do what there is to do whenever the command pauses."""
        check_image()
        work_in_airlock()
        work()

    monkeypatch.setattr(software.time, "sleep", workers)
    image, inputs, outputs = (tmp_path / name for name in ("awk.tar", "inputs", "outputs"))
    image.write_bytes(awk_image)

    assert main(["inputs", "tiny", "--output", str(inputs), "--quiet"]) == 0
    names = sorted(f"{Path(path).stem}.conllu" for path in capsys.readouterr().out.split())
    assert main(["try-image", str(image), str(inputs), "--output", str(outputs), "--quiet"]) == 0
    assert sorted(capsys.readouterr().out.split()) == names
    assert main(["submit", str(image), "--task", "tiny", "--wait", "--quiet"]) == 0
    run = Run.objects.get()
    assert capsys.readouterr().out.split() == [run.public_id]
    # The site's airlock gives what the one at home has given.
    for file in run.files.select_related("test_set"):
        at_home = (outputs / f"{file.test_set.code}.conllu").read_bytes()
        assert file.sha256 == hashlib.sha256(at_home).hexdigest()
    assert run.files.count() == len(names)
    assert main(["logs", run.public_id]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"parsing {Path(name).stem}.txt" for name in run_order(run)
    ]


def run_order(run: Run) -> list[str]:
    entries = run.execution.instructions["test_sets"]
    return [entry["metadata"]["outfile"] for entry in entries]
