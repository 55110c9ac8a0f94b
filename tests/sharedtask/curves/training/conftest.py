"""A system that can be trained, data to train it on, and an airlock that works until nothing waits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.test import override_settings

from sharedtask.accounts.models import User
from sharedtask.competition.models import InputFile, Phase, Task
from sharedtask.competition.store_files import store_input
from sharedtask.curves.models import Training
from sharedtask.curves.training.request import request_training
from sharedtask.software import execute, watch
from sharedtask.software.kinds import RunSoftware
from sharedtask.software.models import Execution, StoredImage, SystemVersion
from sharedtask.teams.models import Team
from sharedtask.work.perform import perform
from tests.sharedtask.support.building import GOLD
from tests.sharedtask.support.scripted_engine import Script, ScriptedEngine
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.software import version_of
from tests.sharedtask.support.trainings import SIZES

TRAINING_SENTENCES = 30


def training_file(sentences: int = TRAINING_SENTENCES) -> bytes:
    """Every sentence is another one."""
    return "".join(f"1\tw{n}\tw\tX\t_\t_\t0\troot\t_\t_\n\n" for n in range(sentences)).encode()


def learn(inputs: Mapping[str, bytes]) -> dict[str, bytes]:
    """Right heads if there were at least 20 sentences to learn from; else every word hangs on the next."""
    outputs = {}
    for code, gold in GOLD.items():
        sample = inputs[f"{code}.train.conllu"]
        text = gold if sample.count(b"\n\n") >= 20 else chain(inputs[f"{code}.psegmor.conllu"].decode())
        outputs[f"{code}.conllu"] = text.encode()
    return outputs


def chain(tokens: str) -> str:
    lines = []
    for line in tokens.splitlines():
        columns = line.split("\t")
        if len(columns) == 10:
            assert columns[6] == columns[7] == "_", "no heads are given"
            columns[6:8] = [str(int(columns[0]) - 1), "root" if columns[0] == "1" else "dep"]
        lines.append("\t".join(columns))
    return "\n".join(lines) + "\n"


@pytest.fixture(autouse=True)
def airlock_is_on(settings: Any) -> None:
    settings.AIRLOCK = True


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> ScriptedEngine:
    engine = ScriptedEngine(script=Script(write=learn))
    monkeypatch.setattr(execute, "connect", lambda url, ulimit_shim: engine)
    monkeypatch.setattr(watch, "FIRST_PAUSE_SECONDS", 0.0)
    return engine


@pytest.fixture
def version(team: Team) -> SystemVersion:
    version = version_of(team)
    StoredImage.objects.update(declares={"arboretum.train": "yes"})
    for test_set in team.task.test_sets.all():
        content = training_file()
        store_input(test_set, content, variant=InputFile.TRAINING, suffix=".conllu", is_sample=True)
    return SystemVersion.objects.get(pk=version.pk)


@pytest.fixture
def run_queued(engine: ScriptedEngine) -> Callable[..., int]:
    """Run what waits for the airlock, or the first of it, without the key to gold; returns how many."""

    def run_queued(limit: int | None = None) -> int:
        queued = Execution.objects.filter(state=Execution.State.QUEUED)
        ids = list(queued.order_by("pk").values_list("public_id", flat=True)[:limit])
        with override_settings(GOLD_PRIVATE_KEY_FILE=""):
            for id in ids:
                perform(RunSoftware(), [id])
        return len(ids)

    return run_queued


@pytest.fixture
def run_all(run_queued: Callable[..., int], work: Callable[[], None]) -> Callable[[], None]:
    def run_all() -> None:
        work()
        while run_queued():
            work()

    return run_all


@pytest.fixture
def training(version: SystemVersion, phase: Phase, member: User, dispatched: list[Sent]) -> Training:
    """One sample of each size: every further one costs a run with all that follows it."""
    return request_training(version=version, phase=phase, sizes=SIZES, samples=1, by=member)


@pytest.fixture
def organiser(task: Task) -> User:
    user = User.objects.create_user("organiser")
    task.organisers.add(user)
    return user
