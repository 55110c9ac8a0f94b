"""An organiser of the blind task, and four runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.submissions.models import Run
from sharedtask.teams.register import register
from tests.sharedtask.support.building import FIRST, TWO_ROOTS, WRONG_HEAD, good_archive


@pytest.fixture
def organiser(blind_task: Task) -> User:
    user = User.objects.create_user("organiser", password="a long password")
    blind_task.organisers.add(user)
    return user


@pytest.fixture
def runs(blind_task: Task, upload: Callable[..., Run], work: Callable[[], None]) -> dict[str, Run]:
    """A perfect run, a baseline, one with an invalid and one with a missing file, all scored."""
    archives = {
        "Alder": good_archive(),
        "Base": good_archive(en_two=WRONG_HEAD),
        "Cedar": good_archive(en_two=TWO_ROOTS, de_one=FIRST.replace("nsubj", "obj")),
        "Dogwood": good_archive(en_two=""),
    }
    values = {}
    for name, archive in archives.items():
        team = register(task=blind_task, name=name, confirmed=True, is_baseline=name == "Base")
        values[name] = upload(archive, team=team)
    work()
    return values
