"""The track of a run, of a local check and of the standings, through the client of the API."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.cli import main
from evaluation.client.client import Client
from evaluation.client.errors import BadRequest
from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.teams.register import register
from tests.sharedtask.support.agreement import shown
from tests.sharedtask.support.calling import secret_of
from tests.sharedtask.support.in_process import client_with
from tests.sharedtask.support.induction import CLASSES, TREES, VALUES, induction_task

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_worker")]
WITH_SCORES = [VALUES["phases"][0] | {"kind": "development", "feedback": "scores", "runs_total": 5}]
TRACKS = VALUES["tracks"][:2]
PUBLIC = [{"code": "en_birds", "language": "English", "tag": "en", "public_gold": True}]


@pytest.fixture
def little(db: None) -> Task:
    return induction_task(tracks=TRACKS, phases=WITH_SCORES, test_sets=PUBLIC)


@pytest.fixture
def client_of_ash(little: Task, member: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setenv("ARBORETUM_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    register(task=little, name="Ash", members=[member], confirmed=True)
    return client_with(secret_of(member))


def outputs(folder: Path, content: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "en_birds.conllu").write_text(content, encoding="utf-8")
    return folder


def file_of(client: Client, run: str) -> dict[str, Any]:
    (file,) = client.run(run)["files"]
    return shown(file)


def test_a_check_follows_the_format_of_the_track_as_the_server_does(
    client_of_ash: Client, work: Callable[[], None], tmp_path: Path
) -> None:
    states = {}
    for name, content in (("classes", CLASSES), ("trees", TREES)):
        folder = outputs(tmp_path / name, content)
        for track in ("tags", "joint"):
            (at_home,) = client_of_ash.check(folder, "little", track=track).as_dict()["files"]
            receipt = client_of_ash.submit(folder, "little", track=track)
            work()
            assert {key: file_of(client_of_ash, receipt["id"])[key] for key in at_home} == at_home
            states[name, track] = at_home["state"]
    assert states == {
        ("classes", "tags"): "valid",
        ("classes", "joint"): "invalid",
        # A track of tags does not look at trees.
        ("trees", "tags"): "valid",
        ("trees", "joint"): "valid",
    }
    assert {run["track"] for run in client_of_ash.runs("little")} == {"tags", "joint"}
    assert {item["track"] for item in client_of_ash.quota("little")} == {"tags", "joint"}


def test_a_track_has_to_be_named_where_it_makes_a_difference(client_of_ash: Client, tmp_path: Path) -> None:
    folder = outputs(tmp_path / "outputs", TREES)
    for act in (client_of_ash.check, client_of_ash.submit):
        with pytest.raises(BadRequest, match=r"tags\b.*joint") as refused:
            act(folder, "little")
        assert (refused.value.id, refused.value.exit_code) == ("upload-without-track", 2)
    with pytest.raises(BadRequest, match="only tags, joint"):
        client_of_ash.check(folder, "little", track="nothing")
    assert client_of_ash.runs("little") == []


def test_standings_are_by_track(
    client_of_ash: Client,
    work: Callable[[], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    client_of_ash.submit(outputs(tmp_path / "classes", CLASSES), "little", track="tags")
    client_of_ash.submit(outputs(tmp_path / "trees", TREES), "little", track="joint")
    work()
    boards = [client_of_ash.leaderboard("little", track=track) for track in ("tags", "joint")]
    assert [board["track"] for board in boards] == ["tags", "joint"]
    assert [track["code"] for track in client_of_ash.task("little")["tracks"]] == ["tags", "joint"]
    assert boards[0]["metric"] != boards[1]["metric"]
    monkeypatch.setattr("evaluation.cli.results.client_of", lambda arguments: client_of_ash)
    monkeypatch.setattr("evaluation.cli.runs.client_of", lambda arguments: client_of_ash)
    assert main(["results", "little", "--track", "joint"]) == 0
    assert boards[1]["signature"] in capsys.readouterr().out
    assert main(["runs", "little"]) == 0
    assert capsys.readouterr().out.split("\n")[0].split()[3:5] == ["phase", "track"]


def test_a_task_without_tracks_has_none_to_choose(client_of_ash: Client, task: Task, tmp_path: Path) -> None:
    folder = outputs(tmp_path / "outputs", TREES)
    with pytest.raises(BadRequest, match="has no tracks") as refused:
        client_of_ash.check(folder, "tiny", track="tags")
    assert refused.value.id == "track-unknown"
