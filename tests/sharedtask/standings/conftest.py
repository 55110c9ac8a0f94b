"""An organiser, two runs that disagree about a relation, and a phase whose standing is large."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.standings import set_parts
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import LOUDLY, good_archive
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.standing import close_now, scored


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


@pytest.fixture
def long_phase(blind_task: Task) -> Phase:
    close_now(blind_task)
    phase = blind_task.phases.select_related("task").get()
    for name, las in (("Ash", 0.9), ("Birch", 0.8), ("Cedar", 0.7)):
        scored(phase, name, las)
    return phase


@pytest.fixture
def large_phase(long_phase: Phase, dispatched: list[Sent], monkeypatch: pytest.MonkeyPatch) -> Phase:
    """Every standing counts as large."""
    monkeypatch.setattr(set_parts, "LARGE", 0)
    dispatched.clear()
    return long_phase
