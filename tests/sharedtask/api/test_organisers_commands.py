"""The commands of organisers, in the process of the site: folders, gold, teams, quota, publication."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from evaluation.cli import main, online
from evaluation.client import organising
from evaluation.client.client import Client
from sharedtask.accounts import tokens
from sharedtask.accounts.models import User
from sharedtask.competition.models import GoldVersion, Task
from sharedtask.core import clock
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import LOUDLY, task_folder
from tests.sharedtask.support.in_process import client_with

pytestmark = pytest.mark.django_db(transaction=True)
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(
    task: Task,
    work: Callable[[], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """A command of an organiser: its exit code and what it prints. Waiting lets the worker work."""
    organiser = User.objects.create_user("organiser")
    task.organisers.add(organiser)
    new = tokens.create_token(
        user=organiser, name="tests", scopes=["read", "submit", "organise"], days=1, at=clock.database_now()
    )
    monkeypatch.setenv("ARBORETUM_CONFIG", str(tmp_path / "config"))
    monkeypatch.setattr(online, "Client", lambda site: client_with(new.secret))
    monkeypatch.setattr(organising.time, "sleep", lambda seconds: work())

    def run(*words: object) -> tuple[int, str]:
        code = main([str(word) for word in words])
        output = capsys.readouterr()
        return code, output.out + output.err

    return run


def test_a_folder_is_checked_imported_and_exported(run: Run, tmp_path: Path) -> None:
    folder = task_folder(tmp_path / "fresh", slug="fresh")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("[core]\n")
    code, text = run("task", "check", folder)
    assert code == 0 and text.endswith("import: planned\n") and not Task.objects.filter(slug="fresh").exists()
    code, text = run("task", "import", folder, "--reason", "A new task.")
    assert code == 0 and text.endswith("import: done\n") and Task.objects.filter(slug="fresh").exists()
    code, text = run("task", "export", "fresh", "--reason", "For the paper.", "-o", tmp_path / "fresh.zip")
    assert code == 0
    with zipfile.ZipFile(tmp_path / "fresh.zip") as archive:
        gold = [name for name in archive.namelist() if name.startswith("gold/")]
        assert len(gold) == 2 and "task.yaml" in archive.namelist()
    assert (tmp_path / "fresh.zip").stat().st_mode & 0o777 == 0o600


def test_the_problems_of_a_folder_have_file_and_line(run: Run, tmp_path: Path) -> None:
    folder = task_folder(tmp_path / "bad", slug="bad")
    values = yaml.safe_load((folder / "task.yaml").read_text())
    values["profile"] = "nonsense"
    (folder / "task.yaml").write_text(yaml.safe_dump(values))
    code, text = run("task", "check", folder)
    assert code == 1 and "task.yaml:" in text and "profile:" in text and text.endswith("import: refused\n")
    code, text = run("task", "check", folder, "--json")
    assert json.loads(text)["problems"][0]["field"] == "profile"


def test_a_folder_of_a_task_that_exists_is_led_to_its_option(run: Run, task: Task, tmp_path: Path) -> None:
    code, text = run("task", "check", task_folder(tmp_path / "again", slug=task.slug))
    assert code == 1 and "name it with --task." in text
    code, text = run("task", "check", task_folder(tmp_path / "same", slug=task.slug), "--task", task.slug)
    assert code == 0 and "--task" not in text


def test_a_corrected_gold_file_becomes_a_version_that_is_not_in_force(
    run: Run, task: Task, tmp_path: Path
) -> None:
    (tmp_path / "better.conllu").write_text(LOUDLY, encoding="utf-8")
    code, text = run(
        "gold", "replace", task.slug, "en_two", tmp_path / "better.conllu", "--reason", "A typo."
    )
    assert code == 0 and "It is not in force yet" in text and text.endswith("correction: done\n")
    versions = GoldVersion.objects.filter(test_set__code="en_two")
    assert versions.count() == 2 and task.test_sets.get(code="en_two").gold_in_force == versions.get(number=1)


def test_teams_are_listed_confirmed_and_granted_runs(run: Run, task: Task, member: User) -> None:
    waiting = register(task=task, name="Birch", members=[member], confirmed=False)
    code, text = run("teams", task.slug)
    assert code == 0 and "Birch" in text
    code, text = run("teams", task.slug, "--confirm", waiting.public_id)
    assert code == 3 and text.endswith("[rules-not-accepted]\n")
    Team.objects.filter(pk=waiting.pk).update(rules_version=task.rules_version)
    code, text = run("teams", task.slug, "--confirm", waiting.public_id)
    assert code == 0, text
    assert Team.objects.get(pk=waiting.pk).is_confirmed
    grant = ("quota", task.slug, "--team", waiting.public_id, "--phase", "open", "--runs", "2")
    assert run(*grant)[0] == 2
    code, text = run(*grant, "--reason", "A server error cost them two.", "--json")
    assert code == 0 and json.loads(text) == {"team": waiting.public_id, "phase": "open", "extra_runs": 2}


def test_what_cannot_be_published_says_why(run: Run, task: Task) -> None:
    code, text = run("publish", task.slug)
    assert code == 0 and "ranking" in text
    code, text = run("publish", task.slug, "--reason", "It is time.")
    assert code == 3 and text.startswith("arboretum: ")
    rescored = run("rescore", task.slug, "--reason", "The disk was full.")
    assert rescored == (0, "0 runs are being processed again.\n")


def test_a_participant_is_no_organiser(
    task: Task, member: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARBORETUM_CONFIG", str(tmp_path / "config"))
    new = tokens.create_token(
        user=member, name="t", scopes=["read", "submit"], days=1, at=clock.database_now()
    )
    client: Client = client_with(new.secret)
    with pytest.raises(Exception) as caught:
        client.teams(task.slug)
    error: Any = caught.value
    assert (error.id, error.exit_code) == ("scope-missing", 4)
