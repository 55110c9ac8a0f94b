"""Sapling in real containers: its image is checked, and an experiment with three classes run to its end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sapling.conllu import read
from sapling.model import train

from airlock.engine import Engine
from examples.build_image import build_image
from sharedtask.accounts.models import User
from sharedtask.cascades.models import Experiment
from sharedtask.cascades.results import Query, rows_of
from sharedtask.cascades.start import start_experiment, usable_test_sets, usable_versions
from sharedtask.competition.models import Task
from sharedtask.core import clock, storage
from sharedtask.software import execute
from sharedtask.software.kinds import CheckImage
from sharedtask.software.models import Execution, StoredImage
from sharedtask.software.versions import create_version
from sharedtask.teams.models import Team
from sharedtask.work.perform import perform
from tests.sharedtask.support.building import FIRST, SECOND
from tests.sharedtask.support.scenery import with_chains

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

THREE = "classes: Core, Root, Rest\nCore: nsubj obj\nRoot: root\nRest: *\n"


@pytest.fixture
def sapling(tmp_path: Path) -> bytes:
    """It has learned that each word depends on the one before it, so that it makes errors."""
    training = tmp_path / "train.conllu"
    training.write_text(with_chains(FIRST + SECOND, 1), encoding="utf-8")
    model = train(read(training), "graph", rounds=3)
    training.unlink()
    model.save(tmp_path / "default.model")
    return build_image("sapling", tmp_path)


def test_sapling_is_run_without_with_all_and_with_three_classes_of_constraints(
    sapling: bytes,
    docker_engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
    team: Team,
    task: Task,
    member: User,
    work: Callable[[], None],
    run_all: Callable[[Experiment], Experiment],
) -> None:
    # `run_all` has a scripted engine; this one is real.
    monkeypatch.setattr(execute, "connect", lambda url, ulimit_shim: docker_engine)
    Task.objects.update(error_classes=THREE)
    work()
    storage.store("images/sapling.tar", [sapling])
    image = StoredImage.objects.create(team=team, filename="sapling.tar", upload="images/sapling.tar")
    create_version(team.primary_system, image, by=member)
    perform(CheckImage(), [image.public_id])
    (version,) = usable_versions(task)
    test_sets = usable_test_sets(task, at=clock.database_now())
    experiment = run_all(start_experiment(version=version, test_sets=test_sets, by=member))
    assert (experiment.state, experiment.problem) == (Experiment.State.DONE, "")
    assert Execution.objects.filter(outcome__exit_code=0).count() == 6
    rows = {row.run: row for row in rows_of(experiment, Query())}
    assert list(rows) == ["core", "root", "rest", "all", "none"]
    for row in rows.values():
        assert row.constrained_gain + row.unconstrained_gain == row.gain
        assert row.covered == row.sentences - row.impossible, "it finds every tree that there is"
    assert rows["all"].uas == 1.0
    assert rows["all"].effective > 0, "it makes errors"
    assert docker_engine.run_ids() == set(), "no container is left"
