"""`manage.py task import`: the organiser of the task, and a task that has none."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Task
from tests.sharedtask.support.folders import write_folder

pytestmark = pytest.mark.django_db
NONE = "The task has no organisers"


def task_command(*arguments: object) -> str:
    """Everything that it prints, with its warnings."""
    printed = io.StringIO()
    call_command("task", *map(str, arguments), stdout=printed, stderr=printed)
    return printed.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "written")


@pytest.fixture
def person() -> User:
    return User.objects.create_user("willow", password="a long password")


def test_import_names_an_organiser_and_records_it(folder: Path, person: User) -> None:
    printed = task_command("import", folder, "--organiser", "willow")
    assert "Organiser: willow" in printed
    assert NONE not in printed
    task = Task.objects.get(slug="full")
    assert list(task.organisers.all()) == [person]
    entry = AuditEntry.objects.get(action="add-organiser")
    assert (entry.subject, entry.who) == ("willow", None)
    assert entry.reason
    again = task_command("import", folder, "--organiser", "willow")
    assert "No changes." in again
    assert AuditEntry.objects.filter(action="add-organiser").count() == 1


def test_an_organiser_can_be_added_to_a_task_that_does_not_change(folder: Path, person: User) -> None:
    task_command("import", folder)
    task_command("import", folder, "--organiser", "willow")
    assert list(Task.objects.get(slug="full").organisers.all()) == [person]


def test_an_unknown_organiser_is_refused_before_anything_is_changed(folder: Path) -> None:
    for more in ([], ["--dry-run"]):
        with pytest.raises(CommandError, match="No account has this sign-in name"):
            task_command("import", folder, "--organiser", "nobody", *more)
    assert not Task.objects.exists()


def test_a_dry_run_adds_no_organiser(folder: Path, person: User) -> None:
    task_command("import", folder)
    assert NONE not in task_command("import", folder, "--organiser", "willow", "--dry-run")
    assert not Task.objects.get(slug="full").organisers.exists()


def test_import_of_a_task_without_organisers_says_so(folder: Path, person: User) -> None:
    for more in (["--dry-run"], [], []):
        assert NONE in task_command("import", folder, *more)
    task_command("import", folder, "--organiser", "willow")
    assert NONE not in task_command("import", folder)


def test_a_dry_run_says_what_becomes_visible_when(folder: Path) -> None:
    lines = task_command("import", folder, "--dry-run").splitlines()
    visible = [line.removeprefix("Visible: ") for line in lines if line.startswith("Visible: ")]
    assert visible[0].startswith("At once: the task with its texts and its phases; the name")
    assert visible[-1] == "When an organiser releases it on the page Gold: the gold of en_two."
