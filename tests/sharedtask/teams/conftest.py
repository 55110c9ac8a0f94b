"""A team with one member, for tests of notices."""

from __future__ import annotations

from datetime import datetime

import pytest

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.people import person


@pytest.fixture
def ash(task: Task) -> User:
    return person("ash")


@pytest.fixture
def aspen(task: Task, ash: User) -> Team:
    return register(task=task, name="Aspen", members=[ash], confirmed=True)


@pytest.fixture
def now() -> datetime:
    return clock.database_now()
