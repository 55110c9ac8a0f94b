"""Images and executions through the client of the API: sent, checked, executed, and what the team learns."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.cli import main
from evaluation.client import software
from evaluation.client.client import Client
from evaluation.client.errors import BadRequest, ClientError, Refused, TimedOut
from examples.build_image import build_image
from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase
from sharedtask.software.check_image import check_image
from sharedtask.software.models import Execution, StoredImage, SystemVersion
from sharedtask.software.stop import stop_by_team
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from tests.sharedtask.support.calling import Caller, secret_of
from tests.sharedtask.support.in_process import client_with
from tests.sharedtask.support.scripted_engine import Script, ScriptedEngine

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_worker", "scripted")]
Finish = Callable[[Execution], Execution]


@pytest.fixture
def site(team: Team, member: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setenv("ARBORETUM_CONFIG", str(tmp_path / "config"))
    team.task.phases.update(software=True)
    return client_with(secret_of(member))


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("image") / "parser.tar"
    path.write_bytes(build_image("awk"))
    return path


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch, finish: Finish) -> None:
    """Whenever the client pauses, they do what there is to do."""

    def work(seconds: float) -> None:
        for image in StoredImage.objects.waiting_for_a_check():
            check_image(image)
        for execution in Execution.objects.for_the_airlock():
            finish(execution)

    monkeypatch.setattr(software.time, "sleep", work)


def submit(client: Client, archive: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr("evaluation.cli.submit.client_of", lambda arguments: client)
    return main(["submit", str(archive), "--task", "tiny", *words])


@pytest.mark.usefixtures("workers")
def test_an_image_is_submitted_and_waited_for_until_its_run_is_scored(
    site: Client, archive: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Phase.objects.update(kind=Phase.Kind.DEVELOPMENT)
    assert submit(site, archive, monkeypatch, "--wait") == 0
    run = Run.objects.get()
    output = capsys.readouterr().out
    assert output.split()[0] == run.public_id and "100.00" in output
    (execution,) = site.image(StoredImage.objects.get().public_id)["executions"]
    assert (execution["state"], execution["run"], execution["is_final"]) == ("done", run.public_id, True)
    # The same bytes are neither sent nor executed again.
    assert submit(site, archive, monkeypatch, "--wait", "--quiet") == 0
    assert capsys.readouterr().out.split() == [run.public_id]
    assert (StoredImage.objects.count(), Execution.objects.count()) == (1, 1)


@pytest.mark.usefixtures("workers")
def test_where_the_site_starts_nothing_by_itself_the_command_does(
    site: Client, archive: Path, monkeypatch: pytest.MonkeyPatch, phase: Phase
) -> None:
    Phase.objects.update(kind=Phase.Kind.TRIAL)
    assert submit(site, archive, monkeypatch, "--wait", "--phase", phase.code) == 0
    assert Execution.objects.get().run == Run.objects.get()


def test_without_waiting_the_id_of_the_image_is_printed(
    site: Client, archive: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert submit(site, archive, monkeypatch, "--quiet") == 0
    assert capsys.readouterr().out.split() == [StoredImage.objects.get().public_id]


@pytest.mark.usefixtures("workers")
def test_a_refused_image_is_an_invalid_file(
    site: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.tar"
    with tarfile.open(broken, "w") as archive:
        archive.addfile(tarfile.TarInfo("manifest.json"))
    assert submit(site, broken, monkeypatch, "--wait") == 1
    refusal = StoredImage.objects.get().refusal
    assert capsys.readouterr().err.strip().endswith(f"[{refusal['id']}]")


@pytest.mark.usefixtures("workers")
def test_software_that_fails_is_an_error_of_the_team(
    site: Client,
    archive: Path,
    scripted: ScriptedEngine,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With the exit code of invalid files: the site has refused nothing."""
    Phase.objects.update(kind=Phase.Kind.DEVELOPMENT)
    scripted.script = Script(write=lambda files: {}, exit_code=3)
    assert submit(site, archive, monkeypatch, "--wait") == 1
    error = capsys.readouterr().err
    assert "exit code 3" in error and "/executions/" in error and error.endswith("[software-failed]\n")
    assert not Run.objects.exists()


def test_what_ends_without_a_run_is_reported(
    site: Client, version: SystemVersion, member: User, phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = version.image.public_id
    monkeypatch.setattr(software, "POLL_SECONDS", 0.0)
    with pytest.raises(TimedOut, match=r"Queued: position 1\. It continues on the site\."):
        site.run_of_image(image, timeout=0)
    stop_by_team(execution=Execution.objects.get(), by=member)
    Execution.objects.update(state=Execution.State.STOPPED)
    with pytest.raises(Refused) as refused:
        site.run_of_image(image)
    assert refused.value.id == "execution-stopped"
    Execution.objects.update(state=Execution.State.FAILED)
    with pytest.raises(ClientError) as failed:
        site.run_of_image(image)
    assert (failed.value.id, failed.value.exit_code) == ("execution-failed", 5)
    with pytest.raises(BadRequest, match="one of the phases that accept software now: open"):
        site.run_of_image(image, phase="nothing")


def test_images_and_executions_are_for_their_team(
    version: SystemVersion, member: User, scripted: ScriptedEngine
) -> None:
    own, stranger = Caller(member), Caller(User.objects.create_user("stranger"))
    execution = own.post(f"/images/{version.image.public_id}/executions", status=201, key="once")
    assert own.post(f"/images/{version.image.public_id}/executions", status=201, key="once") == execution
    assert Execution.objects.count() == 1
    for path in (f"/images/{version.image.public_id}", f"/executions/{execution['id']}"):
        assert own.get(path)["version"] == 1
        stranger.get(path, status=404)
        Caller().get(path, status=401)
    stranger.post(f"/images/{version.image.public_id}/executions", status=404)
    Caller(member, ["read"]).post(f"/images/{version.image.public_id}/executions", status=403)


def test_a_blind_execution_shows_no_more_than_its_page(
    blind_version: SystemVersion, member: User, finish: Finish
) -> None:
    caller = Caller(member)
    started = caller.post(f"/images/{blind_version.image.public_id}/executions", status=201)
    finish(Execution.objects.get())
    document: dict[str, Any] = caller.get(f"/executions/{started['id']}")
    page = caller.client
    page.force_login(member)
    assert document["sentence"] in page.get(f"/executions/{started['id']}/").content.decode()
    assert set(document) == set(started)
