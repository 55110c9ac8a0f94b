"""Scorers of organisers: what is refused, and who reads what; with an engine that the test scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.test import Client

from airlock.engine import TEAMS
from sharedtask.accounts.models import User
from sharedtask.competition.metrics import main_metrics
from sharedtask.competition.models import Task
from sharedtask.competition.store_files import store_gold
from sharedtask.core import clock, storage
from sharedtask.core.errors import Refusal
from sharedtask.scorers import engine as engines
from sharedtask.scorers.discard import discard_scorer
from sharedtask.scorers.engine import SharedEngine, connect_engine
from sharedtask.scorers.models import ScorerVersion
from sharedtask.software.kinds import CheckImage
from sharedtask.software.models import StoredImage
from sharedtask.standings.profile_change.put_in_force import put_in_force
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.rescore import score_missing
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from sharedtask.work.perform import perform
from tests.airlock.images import build
from tests.sharedtask.support.profiled import SENTENCES, Miniature
from tests.sharedtask.support.reading_scorers import PROFILE, SCORER, figures, page
from tests.sharedtask.support.scripted_engine import Script, ScriptedEngine
from tests.sharedtask.support.tus import Tus

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]
Report = dict[str, Any]
DECLARATION: dict[str, Any] = {
    "title": "Roots",
    "version": "1.0",
    "metrics": {"Roots": {"explanation": "roots that are the correct word"}},
    "main": ["Roots"],
}


def half(inputs: Mapping[str, bytes]) -> Report:
    """Every other unit is correct."""
    sizes = json.loads(inputs["metadata.json"])["sentences"]
    units = [[1, 1, (number + 1) % 2] for number in range(len(sizes))]
    return {"metrics": {"Roots": {"units": units, "total": [len(units), len(units), len(units) // 2]}}}


def writes(report: Callable[[Mapping[str, bytes]], Report]) -> Script:
    return Script(write=lambda inputs: {"scores.json": json.dumps(report(inputs)).encode()})


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch, settings: Any) -> ScriptedEngine:
    engine = ScriptedEngine(script=writes(half))
    settings.SCORER_ENGINE = "unix:///run/scorers.sock"
    monkeypatch.setattr(engines, "connect", lambda url: engine)
    return engine


@pytest.fixture
def tiny_image() -> Callable[..., bytes]:
    def tiny_image(**changes: Any) -> bytes:
        labels = {"arboretum.scorer": json.dumps(DECLARATION | changes)}
        return labelled(labels)

    return tiny_image


def labelled(labels: dict[str, str]) -> bytes:
    configuration = build.configuration()
    configuration["config"] |= {"Labels": labels}
    return build.docker_archive(config=configuration)


def test_a_task_with_scores_gets_its_first_scorer(
    task: Task,
    scripted: ScriptedEngine,
    tiny_image: Callable[..., bytes],
    hand_in: Callable[..., ScorerVersion],
    submit_wrong: Callable[[], Run],
    work: Work,
    organiser: User,
    client: Client,
) -> None:
    """The scores before it have none of its metrics."""
    submit_wrong()
    version = hand_in(tiny_image())
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
    tiny_image: Callable[..., bytes],
    hand_in: Callable[..., ScorerVersion],
    upload: Callable[..., Run],
    work: Work,
    client: Client,
) -> None:
    """Main metrics, run pages and standings stay as they are, also for a run that arrives meanwhile."""
    run = upload(mini.archive(mini.wrong), team=team)
    work()
    client.force_login(member)
    before = {address: page(client, address) for address in (run.get_absolute_url(), "/tasks/conll18/")}
    hand_in(tiny_image())
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
    tiny_image: Callable[..., bytes],
    hand_in: Callable[..., ScorerVersion],
    organiser: User,
    client: Client,
) -> None:
    version = hand_in(tiny_image())
    score_missing(at=clock.database_now())
    task.refresh_from_db()
    assert task.profile_version == f"scorer-1-{version.sha256[:8]}"
    assert main_metrics(task) == ["Roots"]
    client.force_login(organiser)
    assert "in force" in page(client, SCORER) and "to review" not in page(client, PROFILE)


def test_a_scorer_that_fails_is_reported_to_organisers_alone(
    member: User,
    scripted: ScriptedEngine,
    tiny_image: Callable[..., bytes],
    hand_in: Callable[..., ScorerVersion],
    submit_wrong: Callable[[], Run],
    organiser: User,
    client: Client,
) -> None:
    """It prints gold and exits with 3."""
    scripted.script = Script(write=lambda inputs: {}, exit_code=3, log=b"1 Bees bees NOUN in gold")
    hand_in(tiny_image())
    run = submit_wrong()
    assert run.state == "failed" and run.failure["kind"] == "ScorerFailure"
    (message,) = run.messages.all()
    assert "It ended." in message.original and "1 Bees bees NOUN" in message.original
    assert message.released_at is None
    client.force_login(member)
    team_page = page(client, run.get_absolute_url())
    assert "The scorer failed." in team_page
    assert "It ended" not in team_page and "Bees" not in team_page and "scorer 1" not in team_page
    client.force_login(organiser)
    assert "1 Bees bees NOUN" in page(client, f"/tasks/conll18/organise/runs/{run.public_id}/")
    assert scripted.run_ids() == set(), "nothing is kept"
    score = Score.objects.get()
    assert score.state == "failed" and score.counts == {} and score.units == ""


def changed(part: str, value: Any) -> Callable[[Mapping[str, bytes]], Report]:
    def report(inputs: Mapping[str, bytes]) -> Report:
        written = half(inputs)
        written["metrics"]["Roots"][part] = value
        return written

    return report


LIES: dict[str, tuple[Script, str]] = {
    "no file": (Script(write=lambda inputs: {"other.json": b"{}"}), "It wrote no file scores.json."),
    "no JSON": (Script(write=lambda inputs: {"scores.json": b"50 %"}), "the report is not JSON"),
    "another total": (
        writes(changed("total", [24, 24, 13])),
        "the units add up to [24, 24, 12], and total is [24, 24, 13]",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_report_that_is_wrong_is_an_error_of_the_scorer(
    lie: str,
    scripted: ScriptedEngine,
    tiny_image: Callable[..., bytes],
    hand_in: Callable[..., ScorerVersion],
    submit_wrong: Callable[[], Run],
) -> None:
    scripted.script, expected = LIES[lie]
    hand_in(tiny_image())
    run = submit_wrong()
    assert run.state == "failed" and not run.uses_quota
    (message,) = run.messages.all()
    assert expected in message.original and message.original.startswith("xx_one: scorer 1: ")
    score = Score.objects.get()
    assert score.state == "failed" and score.counts == {} and score.units == "", "nothing is half-stored"
    assert scripted.run_ids() == set()


def classes(inputs: Mapping[str, bytes]) -> Report:
    """Two classes that are those of gold."""
    units = len(json.loads(inputs["metadata.json"])["sentences"])
    table = {"rows": ["a", "b"], "columns": ["N", "V"], "units": [[[0, 0, 3], [1, 1, 1]]] * units}
    return {"tables": {"classes": table | {"total": [[0, 0, 3 * units], [1, 1, units]]}}}


def test_a_scorer_may_report_a_table(
    task: Task,
    team: Team,
    mini: Miniature,
    scripted: ScriptedEngine,
    tiny_image: Callable[..., bytes],
    hand_in: Callable[..., ScorerVersion],
    upload: Callable[..., Run],
    work: Work,
    client: Client,
) -> None:
    scripted.script = writes(classes)
    bits = {"explanation": "bits", "table": "classes", "rule": "variation-of-information"}
    words = {"explanation": "words", "table": "classes", "rule": "many-to-one"}
    hand_in(tiny_image(metrics={"Bits": bits, "Right": words}, main=["Right", "Bits"]))
    run = upload(mini.archive(mini.wrong), team=team)
    work()
    run.refresh_from_db()
    assert run.state == "scored", [message.original for message in run.messages.all()]
    score = Score.objects.get()
    assert (score.counts["Right"], score.counts["Bits"]) == ({"figure": 1.0}, {"figure": 0.0})
    assert figures(client, "Right")["Birch"].startswith("100.00")
    assert figures(client, "Bits")["Birch"].startswith("0.00")
    assert re.search(r"100\.00 ?[–-] ?100\.00", page(client, "/tasks/conll18/leaderboard/?metric=Right"))


def test_a_scorer_does_not_decide_which_reference_is_best(
    task: Task,
    team: Team,
    mini: Miniature,
    scripted: ScriptedEngine,
    tiny_image: Callable[..., bytes],
    hand_in: Callable[..., ScorerVersion],
    upload: Callable[..., Run],
    work: Work,
) -> None:
    """The evaluator's first main metric does, and the scorer gets that reference."""
    given: list[bytes] = []

    def keep_gold(inputs: Mapping[str, bytes]) -> Report:
        given.append(inputs["gold.conllu"])
        return half(inputs)

    scripted.script = writes(keep_gold)
    store_gold(task.test_sets.get(), mini.gold.encode(), references={"roots": mini.wrong.encode()})
    hand_in(tiny_image())
    score_missing(at=clock.database_now())
    task.refresh_from_db()
    assert main_metrics(task) == ["Roots"], "the scorer is in force"
    upload(mini.archive(mini.wrong), team=team)
    work()
    score = Score.objects.get()
    assert (score.reference, score.counts["Roots"]["correct"]) == ("roots", SENTENCES // 2), score.failure
    assert score.by_reference["gold"]["LAS"] < score.by_reference["roots"]["LAS"] == 1.0
    assert given == [mini.wrong.encode()]


def test_an_engine_that_fails_is_tried_again(
    scripted: ScriptedEngine,
    tiny_image: Callable[..., bytes],
    hand_in: Callable[..., ScorerVersion],
    submit_wrong: Callable[[], Run],
) -> None:
    scripted.script.platform_error = True
    hand_in(tiny_image())
    run = submit_wrong()
    assert run.state == "scoring" and Score.objects.get().attempts == 1
    assert not run.messages.exists()


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


def test_only_organisers_upload_scorers(
    task: Task, member: User, organiser: User, settings: Any, tiny_image: Callable[..., bytes]
) -> None:
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


def test_a_team_cannot_submit_a_scorer_as_its_system(
    task: Task, team: Team, settings: Any, tiny_image: Callable[..., bytes]
) -> None:
    storage.store("images/upload-one", [tiny_image()])
    image = StoredImage.objects.create(team=team, upload="images/upload-one", filename="scorer.tar")
    perform(CheckImage(), [image.public_id])
    image.refresh_from_db()
    assert image.state == StoredImage.State.REFUSED and image.refusal["id"] == "image-is-scorer"


def test_a_version_can_be_discarded_unless_it_is_in_force(
    task: Task,
    scripted: ScriptedEngine,
    tiny_image: Callable[..., bytes],
    hand_in: Callable[..., ScorerVersion],
    submit_wrong: Callable[[], Run],
    work: Work,
    organiser: User,
    client: Client,
) -> None:
    first = hand_in(tiny_image())
    submit_wrong()
    second = hand_in(tiny_image(version="2.0"))
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
    third = hand_in(tiny_image(version="3.0"))
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
