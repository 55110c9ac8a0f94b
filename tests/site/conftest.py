"""A small task, a team with a member, and a worker that works when it is told to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from sharedtask import handout, storage
from sharedtask.competition.load_task import load_task
from sharedtask.competition.models import Task
from sharedtask.storage import Incoming
from sharedtask.submissions.accept import accept
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Membership, Team
from tests.site.building import task_folder


@pytest.fixture(autouse=True)
def data_dir(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path / "data"
    return tmp_path / "data"


@pytest.fixture
def task(db: None, tmp_path: Path) -> Task:
    return load_task(task_folder(tmp_path / "task"))


@pytest.fixture
def blind_task(db: None, tmp_path: Path) -> Task:
    return load_task(task_folder(tmp_path / "blind", slug="blind", blind=True))


@pytest.fixture
def member(db: None) -> User:
    return User.objects.create_user("member", password="a long password")


@pytest.fixture
def team(member: User) -> Team:
    team = Team.objects.create(name="Alder")
    Membership.objects.create(user=member, team=team)
    return team


@pytest.fixture
def handed_out(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What the site handed out, in place of a broker."""
    messages: list[tuple[str, str]] = []
    monkeypatch.setattr(handout, "send", lambda task, id: messages.append((task, id)))
    return messages


@pytest.fixture
def work(handed_out: list[tuple[str, str]]) -> Callable[[], None]:
    """Do what was handed out, in this process, until nothing is left."""
    from workers import tasks

    functions = {handout.CHECK_RUN: tasks.check_run, handout.SCORE_FILE: tasks.score_file}

    def work() -> None:
        while handed_out:
            name, id = handed_out.pop(0)
            functions[name](id)

    return work


@pytest.fixture
def upload(task: Task, team: Team, member: User, handed_out: list[tuple[str, str]]) -> Callable[..., Run]:
    def upload(archive: bytes, *, task: Task = task, team: Team = team) -> Run:
        incoming = Incoming()
        incoming.write(archive)
        return accept(incoming=incoming, task=task, team=team, uploaded_by=member, filename="run.zip")

    return upload


@pytest.fixture
def stored() -> Callable[[str], list[str]]:
    """Names of what lies in one of storage's folders."""

    def stored(folder: str) -> list[str]:
        path = storage.path_of(folder)
        return sorted(entry.name for entry in path.iterdir()) if path.is_dir() else []

    return stored
