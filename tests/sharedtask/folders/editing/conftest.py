"""A task to edit, and the form of a part of it, filled in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.folders.editing.description import describe
from sharedtask.folders.editing.edit_task import (
    digest,
    edit_task,
)
from sharedtask.folders.editing.parts import (
    Part,
)
from sharedtask.folders.load_task import load_task
from sharedtask.folders.plan import Plan
from tests.sharedtask.support.folders import write_folder

SOON = datetime(2126, 5, 1, 12, tzinfo=UTC)
LATER = SOON + timedelta(days=7)


@pytest.fixture
def full(db: None, tmp_path: Path) -> Task:
    """Everything that a folder can have, with a surprise set that is still secret."""
    task = load_task(write_folder(tmp_path / "full"))
    task.test_sets.filter(code="en_two").update(revealed_at=SOON, inputs_released_at=LATER)
    return task


@pytest.fixture
def organiser(db: None) -> User:
    return User.objects.create_user("organiser", password="a long password")


@pytest.fixture
def edit(organiser: User) -> Callable[..., Plan]:
    """Fill in the form of a part, starting from what it shows."""

    def edit(task: Task, part: Part, *, version: str = "", confirmed: str = "", **changed: Any) -> Plan:
        result = part.read(describe(task).values)
        return edit_task(
            task=task,
            part=part,
            filled_in=result | changed,
            version=version or digest(result),
            confirmed=confirmed,
            reason="It was wrong.",
            by=organiser,
        )

    return edit
