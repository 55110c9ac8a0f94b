"""A small task, a team with a member, and a worker that works when it is told to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, StandingRequest, Task
from sharedtask.core import storage
from sharedtask.core.keys import KeyFiles
from sharedtask.core.storage import Incoming
from sharedtask.folders.load_task import load_task
from sharedtask.standings import recompute
from sharedtask.submissions.accept import Upload
from sharedtask.submissions.models import Run
from sharedtask.submissions.workflow import accept_upload
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from sharedtask.work import dispatch
from sharedtask.work.targets import RUN_SOFTWARE
from tests.sharedtask.support.building import task_folder
from tests.sharedtask.support.sending import Sent


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
def phase(task: Task) -> Phase:
    return task.phases.get()


@pytest.fixture
def team(task: Task, member: User) -> Team:
    return register(task=task, name="Alder", members=[member], confirmed=True)


@pytest.fixture
def blind_team(blind_task: Task, member: User) -> Team:
    """The same member's team in the blind task."""
    return register(task=blind_task, name="Alder", members=[member], confirmed=True)


@pytest.fixture
def as_worker(settings: Any, gold_keys: KeyFiles) -> None:
    """This process holds the private key, as a worker does."""
    settings.GOLD_PRIVATE_KEY_FILE = str(gold_keys.private)


@pytest.fixture
def dispatched(monkeypatch: pytest.MonkeyPatch) -> list[Sent]:
    """The messages that the site sent, in place of a broker."""
    messages: list[Sent] = []
    monkeypatch.setattr(dispatch, "send", lambda target, keys: messages.append((target, list(keys))))
    return messages


@pytest.fixture
def work(dispatched: list[Sent], gold_keys: KeyFiles) -> Callable[[], None]:
    """Do what the messages ask for, in this process, until none is left; it has the private key meanwhile."""
    from workers import tasks

    def work() -> None:
        with override_settings(GOLD_PRIVATE_KEY_FILE=str(gold_keys.private)):
            while dispatched:
                target, keys = dispatched.pop(0)
                # Only the workers of the airlock run software.
                if target != RUN_SOFTWARE:
                    tasks.TASKS[target](keys)
            for request in StandingRequest.objects.select_related("phase__task"):
                recompute.recompute_phase(request)

    return work


@pytest.fixture
def upload(team: Team, member: User, dispatched: list[Sent]) -> Callable[..., Run]:
    def upload(archive: bytes, *, team: Team = team, phase: Phase | None = None, **values: Any) -> Run:
        incoming = Incoming()
        incoming.write(archive)
        return accept_upload(
            Upload(
                incoming=incoming,
                phase=phase or team.task.phases.get(),
                team=team,
                system=team.primary_system,
                uploaded_by=member,
                filename="run.zip",
                **values,
            )
        )

    return upload


@pytest.fixture
def stored() -> Callable[[str], list[str]]:
    """Names of what lies in one of storage's folders."""

    def stored(folder: str) -> list[str]:
        path = storage.path_of(folder)
        return sorted(entry.name for entry in path.iterdir()) if path.is_dir() else []

    return stored
