"""A profile that fails or lies: an error of the organisers' side, never of a team, and of no other task."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client

import evaluation
from evaluation import Comparison, CountMetric, Presentation, Profile, Units
from evaluation.scoring.profiles import plugins
from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.core.errors import APOLOGY
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.quota import quota_of
from sharedtask.submissions.retry_failed import retry_run
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.profiled import EVALATIN, Miniature

pytestmark = pytest.mark.django_db(transaction=True)
MINI = Miniature(profile="plugged", gold=EVALATIN.gold, wrong=EVALATIN.wrong, values={"missing": "zero"})


def count_words(comparison: Comparison, units: Units) -> np.ndarray:
    words = units.add_up(units.gold["words"])
    return np.stack([words, words, words], axis=1)


def fail(comparison: Comparison, units: Units) -> np.ndarray:
    raise ZeroDivisionError("the secret of gold")


def lie(comparison: Comparison, units: Units) -> np.ndarray:
    """More in each unit than in the file."""
    return count_words(comparison, units) + (units.number > 1)


def misshape(comparison: Comparison, units: Units) -> np.ndarray:
    return np.zeros((units.number, 2), dtype=np.int64)


def plugged(count: Callable[[Comparison, Units], np.ndarray]) -> Profile:
    return Profile(
        name="plugged",
        version="1",
        title="A plug-in",
        citation="Nobody",
        tokens_given=True,
        definitions={"Own": CountMetric(count)},
        main=("Own",),
        presentations={"Own": Presentation(explanation="words")},
    )


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Profile], None]]:
    def install(profile: Profile) -> None:
        module = type(sys)("plugged_module")
        module.PROFILE = profile  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "plugged_module", module)
        entry = EntryPoint("plugged", "plugged_module:PROFILE", plugins.GROUP)
        monkeypatch.setattr(plugins, "entry_points", lambda group: [entry])
        evaluation.PROFILES._plugins, evaluation.PROFILES._errors = None, {}

    yield install
    monkeypatch.undo()
    evaluation.PROFILES._plugins, evaluation.PROFILES._errors = None, {}


def used(team: Team) -> int:
    return quota_of(team.task.phases.get(), team, at=clock.database_now()).total


@pytest.mark.parametrize(
    ("count", "reason"),
    [
        (fail, "the profile plugged cannot compute Own: ZeroDivisionError: the secret of gold"),
        (lie, "the profile plugged cannot compute Own: it should give counts of units that add up"),
        (misshape, "the profile plugged cannot compute Own: it should give 24 rows of three counts"),
    ],
)
def test_organisers_read_its_name_and_teams_an_apology(
    count: Callable[..., Any],
    reason: str,
    install: Callable[[Profile], None],
    task: Task,
    team: Team,
    member: User,
    upload: Callable[..., Run],
    work: Callable[[], None],
    tmp_path: Path,
    client: Client,
    stored: Callable[[str], list[str]],
) -> None:
    install(plugged(count))
    theirs = MINI.load(tmp_path / "plugged")
    birch = register(task=theirs, name="Birch", members=[member], confirmed=True)
    before = used(birch)
    run = upload(MINI.archive(MINI.gold), team=birch)
    other = upload(good_archive())
    work()
    run.refresh_from_db()
    other.refresh_from_db()
    assert other.state == "scored", "another task is not affected"
    assert run.state == "failed"
    (score,) = Score.objects.filter(file__run=run)
    assert (score.state, score.counts, score.units) == ("failed", {}, ""), "nothing is half-stored"
    assert stored("counts") == sorted(
        name.partition("/")[2] for name in Score.objects.exclude(units="").values_list("units", flat=True)
    )
    (message,) = run.messages.all()
    assert message.original.startswith(f"xx_one: {reason}")
    assert used(birch) == before, "it costs nothing"
    client.force_login(member)
    page = client.get(f"/runs/{run.public_id}/").content.decode()
    assert APOLOGY.split(". ")[0] in page
    for secret in ("secret of gold", "cannot compute", "ZeroDivisionError", "add up"):
        assert secret not in page
    install(plugged(count_words))
    organiser = User.objects.create_user("organiser")
    retry_run(run=run, by=organiser, reason="The package was repaired.")
    work()
    run.refresh_from_db()
    assert run.state == "scored"


def test_in_a_blind_phase_the_quota_reveals_nothing(
    install: Callable[[Profile], None],
    team: Team,
    member: User,
    upload: Callable[..., Run],
    work: Callable[[], None],
    tmp_path: Path,
) -> None:
    """Whether scoring failed may depend on gold; the run is scored later without the team."""
    install(plugged(fail))
    blind = Miniature(profile="plugged", gold=MINI.gold, wrong=MINI.wrong, public=False, blind=True)
    theirs = blind.load(tmp_path / "plugged")
    birch = register(task=theirs, name="Birch", members=[member], confirmed=True)
    run = upload(MINI.archive(MINI.gold), team=birch)
    work()
    run.refresh_from_db()
    assert run.state == "failed" and run.uses_quota
