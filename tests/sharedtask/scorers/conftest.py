"""A tiny task, and scorers for it: the example as an image, and one that does what the test says."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from airlock.engine import Engine
from examples import build_image
from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.scorers import engine as engines
from sharedtask.scorers.models import ScorerVersion
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.machinery.engines import forget_purpose
from tests.sharedtask.support.profiled import BEES, CONLL18, Miniature, lines, repeated
from tests.sharedtask.support.scripted_engine import ScriptedEngine
from tests.sharedtask.support.tiny_scorers import half, tiny_image, writes
from tests.sharedtask.support.tus import Tus

_ROOTS = ("Bees NOUN 0 root", "hum VERB 1 acl", "now ADV 2 advmod", ". PUNCT 1 punct")
_gold, _wrong = repeated(lines(*BEES), lines(*_ROOTS))
MINI = replace(CONLL18, gold=_gold, wrong=_wrong)


@pytest.fixture
def mini() -> Miniature:
    """In every other sentence of the wrong output, the root is another word."""
    return MINI


@pytest.fixture
def blind_mini() -> Miniature:
    return replace(MINI, public=False, blind=True)


@pytest.fixture(autouse=True)
def scorers_are_on(settings: Any) -> None:
    settings.SCORERS = True


@pytest.fixture
def organiser(db: None) -> User:
    return User.objects.create_user("organiser", password="a long password")


@pytest.fixture
def task(db: None, tmp_path: Path, organiser: User) -> Task:
    task = MINI.load(tmp_path / "task")
    task.organisers.add(organiser)
    return task


@pytest.fixture
def team(task: Task, member: User) -> Team:
    return register(task=task, name="Birch", members=[member], confirmed=True)


@pytest.fixture(scope="session")
def build_scorer(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., bytes]:
    """The image of the example, after a change of its files."""

    def build(change: Callable[[str], str] = lambda text: text) -> bytes:
        folder = tmp_path_factory.mktemp("scorer")
        shutil.copytree(build_image.HERE / "scorer", folder / "scorer")
        for path in (folder / "scorer").iterdir():
            path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(build_image, "HERE", folder)
            return build_image.build_image("scorer")

    return build


@pytest.fixture
def engine(docker_engine: Engine, settings: Any) -> Engine:
    """As if nothing else had used it."""
    for image_id in docker_engine.image_ids():
        docker_engine.remove_image(image_id)
    forget_purpose(docker_engine)
    settings.SCORER_ENGINE = docker_engine.facts.url
    return docker_engine


@pytest.fixture
def hand_in(task: Task, organiser: User, work: Callable[[], None]) -> Callable[..., ScorerVersion]:
    """Upload an image as an organiser does, and have it checked."""

    def hand_in(image: bytes, *, by: User = organiser, note: str = "To rank by roots.") -> ScorerVersion:
        client = Client()
        client.force_login(by)
        tus = Tus(client)
        address = tus.begin(len(image), purpose="scorer", task=task.slug, filename="scorer.tar", note=note)
        assert tus.patch(address, 0, image).status_code == 204
        work()
        task.refresh_from_db()
        return task.scorer_versions.latest("number")

    return hand_in


@pytest.fixture
def submit_wrong(team: Team, upload: Callable[..., Run], work: Callable[[], None]) -> Callable[[], Run]:
    """Upload the wrong output as the team Birch, and have it scored."""

    def submit_wrong() -> Run:
        run = upload(MINI.archive(MINI.wrong), team=team)
        work()
        run.refresh_from_db()
        return run

    return submit_wrong


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch, settings: Any) -> ScriptedEngine:
    engine = ScriptedEngine(script=writes(half))
    settings.SCORER_ENGINE = "unix:///run/scorers.sock"
    monkeypatch.setattr(engines, "connect", lambda url: engine)
    return engine


@pytest.fixture
def add_scorer(hand_in: Callable[..., ScorerVersion]) -> Callable[..., ScorerVersion]:
    """Upload a tiny image whose declaration has these changes."""
    return lambda **changes: hand_in(tiny_image(**changes))
