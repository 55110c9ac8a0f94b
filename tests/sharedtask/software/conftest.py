"""A team with a version of its system, and an engine that does what the test says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.test import override_settings

from sharedtask.software import execute, watch
from sharedtask.software.kinds import RunSoftware
from sharedtask.software.models import Execution, SystemVersion
from sharedtask.teams.models import Team
from sharedtask.work.perform import perform
from sharedtask.work.targets import RUN_SOFTWARE
from tests.sharedtask.support.building import GOLD
from tests.sharedtask.support.scripted_engine import Script, ScriptedEngine
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.software import version_of


def perfect(inputs: Mapping[str, bytes]) -> dict[str, bytes]:
    """What a system writes that knows the answers, for the inputs that it got."""
    return {f"{code}.conllu": text.encode() for code, text in GOLD.items() if f"{code}.txt" in inputs}


@pytest.fixture(autouse=True)
def airlock_is_on(settings: Any) -> None:
    settings.AIRLOCK = True


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> ScriptedEngine:
    engine = ScriptedEngine(script=Script(write=perfect))
    monkeypatch.setattr(execute, "connect", lambda url, ulimit_shim: engine)
    monkeypatch.setattr(watch, "FIRST_PAUSE_SECONDS", 0.0)
    return engine


@pytest.fixture
def version(team: Team) -> SystemVersion:
    team.task.phases.update(software=True)
    return version_of(team)


@pytest.fixture
def blind_version(blind_team: Team) -> SystemVersion:
    """The inputs of its phase are not released."""
    blind_team.task.phases.update(software=True)
    blind_team.task.test_sets.update(inputs_released_at="2099-01-01T00:00:00Z")
    return version_of(blind_team)


@pytest.fixture
def work_in_airlock(dispatched: list[Sent]) -> Callable[[], None]:
    """Do what the airlock was asked for, in this process, without the key to gold."""

    def work() -> None:
        with override_settings(GOLD_PRIVATE_KEY_FILE=""):
            for message in [sent for sent in dispatched if sent[0] == RUN_SOFTWARE]:
                dispatched.remove(message)
                perform(RunSoftware(), message[1])

    return work


@pytest.fixture
def finish(work_in_airlock: Callable[[], None], work: Callable[[], None]) -> Callable[[Execution], Execution]:
    """Run an execution to its end, and then check and score what it wrote."""

    def finish(execution: Execution) -> Execution:
        work_in_airlock()
        work()
        execution.refresh_from_db()
        return execution

    return finish
