"""Versions of organisers' scorers: which are refused, which count, and who may upload them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from airlock.engine import TEAMS
from sharedtask.accounts.models import User
from sharedtask.competition.metrics import main_metrics
from sharedtask.competition.models import Task
from sharedtask.core import clock, storage
from sharedtask.core.errors import Refusal
from sharedtask.scorers.discard import discard_scorer
from sharedtask.scorers.engine import SharedEngine, connect_engine
from sharedtask.scorers.models import ScorerVersion
from sharedtask.software.kinds import CheckImage
from sharedtask.software.models import StoredImage
from sharedtask.standings.profile_change.put_in_force import put_in_force
from sharedtask.submissions.models import Run
from sharedtask.submissions.rescore import score_missing
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from sharedtask.work.perform import perform
from tests.sharedtask.support.profiled import Miniature
from tests.sharedtask.support.reading_scorers import PROFILE, SCORER, figures, page
from tests.sharedtask.support.scripted_engine import ScriptedEngine
from tests.sharedtask.support.tiny_scorers import DECLARATION, labelled, tiny_image
from tests.sharedtask.support.tus import Tus

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]
AddScorer = Callable[..., ScorerVersion]


def test_a_task_with_scores_gets_its_first_scorer(
    task: Task,
    scripted: ScriptedEngine,
    add_scorer: AddScorer,
    submit_wrong: Callable[[], Run],
    work: Work,
    organiser: User,
    client: Client,
) -> None:
    """The scores before it have none of its metrics."""
    submit_wrong()
    version = add_scorer()
    score_missing(at=clock.database_now())
    work()
    board = page(client, "/tasks/conll18/leaderboard/")
    assert "Roots" not in board and "Birch" in board, "nothing has changed yet"
    client.force_login(organiser)
    pending = f"scorer-1-{version.sha256[:8]}"
    review = page(client, PROFILE)
    assert f"Version {pending} to review" in review and "50.00" in review
    form = {"reason": "Roots matter.", "compared": pending}
    assert client.post(PROFILE + "put-in-force/", form).status_code == 302
    work()
    assert figures(client, "Roots")["Birch"] == "50.00"
    change = task.profile_changes.get()
    assert "50.00" in page(client, f"{PROFILE}changes/{change.pk}/")


def test_a_scorer_that_is_not_in_force_decides_nothing(
    task: Task,
    team: Team,
    member: User,
    mini: Miniature,
    scripted: ScriptedEngine,
    add_scorer: AddScorer,
    upload: Callable[..., Run],
    work: Work,
    client: Client,
) -> None:
    """Main metrics, run pages and standings stay as they are, also for a run that arrives meanwhile."""
    run = upload(mini.archive(mini.wrong), team=team)
    work()
    client.force_login(member)
    before = {address: page(client, address) for address in (run.get_absolute_url(), "/tasks/conll18/")}
    add_scorer()
    score_missing(at=clock.database_now())
    work()
    task.refresh_from_db()
    assert main_metrics(task) == ["LAS", "MLAS", "BLEX"]
    assert {address: page(client, address) for address in before} == before
    assert "LAS" in before[run.get_absolute_url()] and "Roots" not in before[run.get_absolute_url()]
    upload(mini.archive(mini.gold), team=register(task=task, name="Ash", confirmed=True))
    work()
    assert set(figures(client, "LAS")) == {"Ash", "Birch"}, "standings do not wait for a decision"


def test_a_task_without_scores_uses_its_scorer_at_once(
    task: Task,
    add_scorer: AddScorer,
    organiser: User,
    client: Client,
) -> None:
    version = add_scorer()
    score_missing(at=clock.database_now())
    task.refresh_from_db()
    assert task.profile_version == f"scorer-1-{version.sha256[:8]}"
    assert main_metrics(task) == ["Roots"]
    client.force_login(organiser)
    assert "in force" in page(client, SCORER) and "to review" not in page(client, PROFILE)


REFUSED = {
    "no label": ({}, "The image has no label arboretum.scorer."),
    "no JSON": ({"arboretum.scorer": "roots"}, "the declaration is not JSON"),
    "a metric of the profile": (
        DECLARATION | {"metrics": {"LAS": {"explanation": "x"}}},
        "'LAS' cannot be used as the name of a metric",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_image_that_declares_nothing_usable_is_refused(
    name: str, task: Task, hand_in: Callable[..., ScorerVersion], organiser: User, client: Client
) -> None:
    labels, expected = REFUSED[name]
    if "title" in labels:
        labels = {"arboretum.scorer": json.dumps(labels)}
    version = hand_in(labelled(labels))
    assert version.state == ScorerVersion.State.REFUSED
    assert expected in version.refusal["message"]
    assert task.scorer == task.newest_scorer == {} and version.stored == ""
    client.force_login(organiser)
    assert "refused" in page(client, SCORER)


def test_only_organisers_upload_scorers(task: Task, member: User, organiser: User, settings: Any) -> None:
    fields = {"purpose": "scorer", "task": task.slug, "note": "mine"}
    client = Client()
    client.force_login(member)
    assert client.get(SCORER).status_code == 404
    answer = Tus(client).create(1000, **fields)
    assert answer.status_code == 403 and b"Only organisers" in answer.content
    client.force_login(organiser)
    assert Tus(client).create(1000, **fields | {"note": " "}).status_code == 403
    settings.SCORERS = False
    answer = Tus(client).create(1000, **fields)
    assert answer.status_code == 403 and b"Scorers cannot be run here" in answer.content
    assert "Scorers cannot be run here" in page(client, SCORER)


def test_a_team_cannot_submit_a_scorer_as_its_system(task: Task, team: Team, settings: Any) -> None:
    storage.store("images/upload-one", [tiny_image()])
    image = StoredImage.objects.create(team=team, upload="images/upload-one", filename="scorer.tar")
    perform(CheckImage(), [image.public_id])
    image.refresh_from_db()
    assert image.state == StoredImage.State.REFUSED and image.refusal["id"] == "image-is-scorer"


def test_a_version_can_be_discarded_unless_it_is_in_force(
    task: Task,
    scripted: ScriptedEngine,
    add_scorer: AddScorer,
    submit_wrong: Callable[[], Run],
    work: Work,
    organiser: User,
    client: Client,
) -> None:
    first = add_scorer()
    submit_wrong()
    second = add_scorer(version="2.0")
    assert task.newest_scorer["number"] == 2 and task.scorer["number"] == 1
    with pytest.raises(Refusal, match="This version is in force"):
        discard_scorer(version=first, by=organiser, reason="Oops.")
    client.force_login(organiser)
    assert client.post(f"{SCORER}2/discard/", {"reason": ""}).status_code == 409
    assert client.post(f"{SCORER}2/discard/", {"reason": "A mistake."}).status_code == 302
    task.refresh_from_db()
    assert task.newest_scorer["number"] == 1
    assert "to review" not in page(client, PROFILE)
    with pytest.raises(Refusal, match="Only a version that is ready"):
        discard_scorer(version=second, by=organiser, reason="Again.")
    third = add_scorer(version="3.0")
    score_missing(at=clock.database_now())
    work()
    put_in_force(task=task, by=organiser, reason="Better.", compared=f"scorer-3-{third.sha256[:8]}")
    task.refresh_from_db()
    assert task.profile_version.startswith("scorer-3-") and task.scorer["number"] == 3


def test_an_engine_that_runs_software_of_teams_is_refused(
    scripted: ScriptedEngine, settings: Any, tmp_path: Any
) -> None:
    settings.AIRLOCK_ENGINE = settings.SCORER_ENGINE
    with pytest.raises(SharedEngine, match="are the same"):
        connect_engine()
    socket, link = tmp_path / "docker.sock", tmp_path / "link.sock"
    link.symlink_to(socket)
    settings.SCORER_ENGINE, settings.AIRLOCK_ENGINE = f"unix://{socket}", f"unix://{link}"
    with pytest.raises(SharedEngine, match="are the same"):
        connect_engine()
    settings.AIRLOCK_ENGINE = ""
    scripted.claim(TEAMS)
    with pytest.raises(SharedEngine, match="runs software of teams"):
        connect_engine()
    scripted.purpose = ""
    scripted.images.add("sha256:" + "a" * 64)
    with pytest.raises(SharedEngine, match="has images of teams"):
        connect_engine()
