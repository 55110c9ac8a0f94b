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
from sharedtask.submissions.accept import accept
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from sharedtask.work import dispatch
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
def handed_out(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What the site handed out, in place of a broker."""
    messages: list[tuple[str, str]] = []
    monkeypatch.setattr(dispatch, "send", lambda task, id: messages.append((task, id)))
    return messages


@pytest.fixture
def work(handed_out: list[tuple[str, str]], gold_keys: KeyFiles) -> Callable[[], None]:
    """Do what was handed out, in this process, until nothing is left; it has the private key meanwhile."""
    from workers import tasks

    functions = {
        dispatch.CHECK_RUN: tasks.check_run,
        dispatch.SCORE_FILES: tasks.score_files,
        dispatch.LOOK_OVER: tasks.look_over_run,
        dispatch.LOOK_OVER_PHASE: tasks.look_over_phase,
        dispatch.TEND_GOLD: tasks.tend,
        dispatch.ANALYSE_GOLD: tasks.analyse_gold,
        dispatch.ANALYSE_RUN: tasks.analyse_run,
        dispatch.PACK_RESULTS: tasks.pack_results,
        dispatch.FOLDER_JOB: tasks.folder_job,
        dispatch.MAIL_EVENT: tasks.mail_event,
        dispatch.MAIL_LETTER: tasks.mail_letter,
    }

    def work() -> None:
        with override_settings(GOLD_PRIVATE_KEY_FILE=str(gold_keys.private)):
            while handed_out:
                name, id = handed_out.pop(0)
                functions[name](id)
            for wanted in StandingRequest.objects.select_related("phase__task"):
                recompute.satisfy(wanted)

    return work


@pytest.fixture
def upload(team: Team, member: User, handed_out: list[tuple[str, str]]) -> Callable[..., Run]:
    def upload(archive: bytes, *, team: Team = team, phase: Phase | None = None, **values: Any) -> Run:
        incoming = Incoming()
        incoming.write(archive)
        return accept(
            incoming=incoming,
            phase=phase or team.task.phases.get(),
            team=team,
            system=team.primary_system,
            uploaded_by=member,
            filename="run.zip",
            **values,
        )

    return upload


@pytest.fixture
def stored() -> Callable[[str], list[str]]:
    """Names of what lies in one of storage's folders."""

    def stored(folder: str) -> list[str]:
        path = storage.path_of(folder)
        return sorted(entry.name for entry in path.iterdir()) if path.is_dir() else []

    return stored
