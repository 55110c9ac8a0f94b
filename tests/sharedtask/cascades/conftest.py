"""A team whose system honours constraints, in a task with public gold, and what runs it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.cascades.models import Experiment
from sharedtask.cascades.start import start_experiment
from sharedtask.competition.models import GoldVersion
from sharedtask.core.keys import KeyFiles
from sharedtask.software.kinds import RunSoftware
from sharedtask.software.models import StoredImage, SystemVersion
from sharedtask.teams.models import Team
from sharedtask.work.perform import perform
from sharedtask.work.targets import RUN_SOFTWARE
from tests.sharedtask.software.conftest import airlock_is_on, scripted
from tests.sharedtask.support.constrained_system import parse_all
from tests.sharedtask.support.scripted_engine import ScriptedEngine
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.software import version_of
from workers import tasks

__all__ = ["airlock_is_on", "scripted"]

LABELS = {"arboretum.constraints": "honoured"}


@pytest.fixture
def version(team: Team, work: Callable[[], None]) -> SystemVersion:
    team.task.phases.update(software=True)
    GoldVersion.objects.update(released_at=timezone.now() - timedelta(hours=1))
    # Workers decrypt gold that is released.
    work()
    made = version_of(team)
    StoredImage.objects.update(declares=LABELS)
    made.image.refresh_from_db()
    return made


@pytest.fixture
def system(scripted: ScriptedEngine) -> ScriptedEngine:
    scripted.script.write = parse_all
    return scripted


@pytest.fixture
def start(version: SystemVersion, member: User) -> Callable[..., Experiment]:
    def start(**values: Any) -> Experiment:
        test_sets = list(version.system.team.task.test_sets.all())
        given = {"version": version, "test_sets": test_sets, "by": member}
        return start_experiment(**(given | values))

    return start


@pytest.fixture
def work_once(system: ScriptedEngine, dispatched: list[Sent], gold_keys: KeyFiles) -> Callable[[], None]:
    """Answer the messages that are there now, those to the airlock without the key to gold."""

    def work_once() -> None:
        messages = list(dispatched)
        dispatched.clear()
        for target, keys in messages:
            if target == RUN_SOFTWARE:
                with override_settings(GOLD_PRIVATE_KEY_FILE=""):
                    perform(RunSoftware(), keys)
            else:
                with override_settings(GOLD_PRIVATE_KEY_FILE=str(gold_keys.private)):
                    tasks.TASKS[target](keys)

    return work_once


@pytest.fixture
def run_all(work_once: Callable[[], None], dispatched: list[Sent]) -> Callable[[Experiment], Experiment]:
    """Answer messages until there are none."""

    def run_all(experiment: Experiment) -> Experiment:
        while dispatched:
            work_once()
        experiment.refresh_from_db()
        return experiment

    return run_all
