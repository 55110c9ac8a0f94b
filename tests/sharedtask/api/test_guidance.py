"""Whoever knows no codes and ids is led to them by the commands and their errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation.cli import main, online
from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from tests.sharedtask.support.building import GOLD, good_archive
from tests.sharedtask.support.calling import Caller, secret_of
from tests.sharedtask.support.in_process import client_with

pytestmark = pytest.mark.django_db(transaction=True)
Command = Callable[..., tuple[int, str]]


@pytest.fixture
def arboretum(
    member: User,
    team: Team,
    dispatched: list[object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """A command of a member: its exit code and everything it prints."""
    monkeypatch.setenv("ARBORETUM_CONFIG", str(tmp_path / "config"))
    client = client_with(secret_of(member))
    monkeypatch.setattr(online, "Client", lambda site: client)

    def run(*words: object) -> tuple[int, str]:
        code = main([str(word) for word in words])
        output = capsys.readouterr()
        return code, output.out + output.err

    return run


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    (tmp_path / "outputs").mkdir()
    for code, text in GOLD.items():
        (tmp_path / "outputs" / f"{code}.conllu").write_text(text, encoding="utf-8")
    return tmp_path / "outputs"


def test_tasks_and_their_phases_are_listed(arboretum: Command, task: Task) -> None:
    code, text = arboretum("tasks")
    assert (code, text.splitlines()[1].split()) == (0, ["tiny", *task.title.split(), "running"])
    assert arboretum("tasks", "--quiet") == (0, "tiny\n")
    code, text = arboretum("tasks", "tiny")
    assert code == 0 and "test sets: de_one, en_two" in text
    assert ["open", "development", "yes"] in [line.split()[:3] for line in text.splitlines()]
    assert json.loads(arboretum("tasks", "tiny", "--json")[1])["phases"][0]["code"] == "open"
    code, text = arboretum("tasks", "nothing")
    assert code == 2 and "`arboretum tasks` lists the tasks" in text


def test_a_system_is_named_by_its_name_or_id(arboretum: Command, team: Team, outputs: Path) -> None:
    system = team.primary_system
    assert f"system {system.name} ({system.public_id})" in arboretum("whoami")[1]
    first = arboretum("submit", outputs, "--task", "tiny", "--system", system.name, "--quiet")
    again = arboretum("submit", outputs, "--task", "tiny", "--system", system.public_id, "--quiet")
    run = Run.objects.get()
    assert run.system == system and first == (0, f"{run.public_id}\n")
    assert again[0] == 0 and again[1].startswith(f"{run.public_id}\nThe same bytes were submitted before")
    code, text = arboretum("submit", outputs, "--task", "tiny", "--system", "other")
    assert code == 2 and f"only {system.name} ({system.public_id})" in text


def test_a_phase_that_does_not_exist_is_answered_with_those_that_do(
    arboretum: Command, outputs: Path
) -> None:
    code, text = arboretum("submit", outputs, "--task", "tiny", "--phase", "nothing")
    assert code == 2 and text.endswith("Open for you now: open. [upload-without-phase]\n")
    code, text = arboretum("results", "tiny", "--phase", "nothing")
    assert code == 2 and text.endswith("no phase 'nothing', only open. [phase-unknown]\n")
    code, text = arboretum("results", "tiny", "--ranking", "official", "--format", "json")
    assert code == 3 and '"id": "no-results"' in text


def test_a_group_that_does_not_exist_is_answered_with_those_that_do(
    arboretum: Command, upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    upload(good_archive())
    work()
    code, text = arboretum("results", "tiny", "--group", "nothing")
    assert code == 2 and "The groups are: " in text
    groups = text.split("The groups are: ")[1].split(".")[0].split(", ")
    assert groups and all(arboretum("results", "tiny", "--group", group)[0] == 0 for group in groups)


def test_a_run_that_does_not_count_says_so(
    arboretum: Command, member: User, work: Callable[[], None]
) -> None:
    run = Caller(member).upload("/tasks/tiny/runs", good_archive(), key="one")["id"]
    work()
    assert arboretum("withdraw", run)[0] == 0
    assert "This run does not count: it is withdrawn." in arboretum("watch", run)[1]


def test_what_is_unlimited_is_called_so(arboretum: Command) -> None:
    row = arboretum("quota", "tiny")[1].splitlines()[1]
    assert row.count("no limit") == 2
    assert json.loads(arboretum("quota", "tiny", "--json")[1])[0]["left_total"] is None


def test_a_token_that_may_not_organise_is_told_how_to_get_one_that_may(arboretum: Command) -> None:
    code, text = arboretum("teams", "tiny")
    assert code == 4 and "`arboretum login --scope read --scope submit --scope organise`" in text


def test_whoever_has_no_team_is_told_where_to_get_one(
    arboretum: Command, blind_task: Task, outputs: Path
) -> None:
    for words in (["submit", outputs, "--task", "blind"], ["quota", "blind"]):
        code, text = arboretum(*words)
        assert code == 3 and "“Take part” on the page of the task. [upload-without-team]" in text
    code, text = arboretum("submit", outputs, "--task", "blind", "--system", "main")
    assert code == 3 and "“Take part” on the page of the task. [upload-without-team]" in text
