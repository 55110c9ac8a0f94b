"""An organiser, and two runs that disagree about a relation."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import LOUDLY, good_archive


@pytest.fixture
def organiser(task: Task) -> User:
    user = User.objects.create_user("organiser", password="a long password")
    task.organisers.add(user)
    return user


@pytest.fixture
def runs(team: Team, upload: Callable[..., Run], work: Callable[[], None]) -> tuple[Run, Run]:
    """Alder agrees with the first version, Birch with the correction."""
    birch = register(task=team.task, name="Birch", confirmed=True)
    result = upload(good_archive()), upload(good_archive(en_two=LOUDLY), team=birch)
    work()
    return result
