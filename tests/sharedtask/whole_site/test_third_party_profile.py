"""The example of a profile of a third party, as a package: a task with it, and a new version of it."""

from __future__ import annotations

import csv
import io
import re
import shlex
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

import evaluation
from evaluation.cli import main as evaluator
from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Task
from sharedtask.competition.release_gold import release_gold
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.folders.problems import BadTaskFolder
from sharedtask.standings.models import ProfileChange, Standing
from sharedtask.standings.profile_change.put_in_force import put_in_force
from sharedtask.standings.publish import publish_results
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.rescore import score_missing
from sharedtask.teams.register import register
from tests.sharedtask.support.installing import Environment, build, environment
from tests.sharedtask.support.profiled import EVALATIN, Miniature
from tests.sharedtask.support.standing import close_now

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]
MINI = Miniature(profile="head-distance", gold=EVALATIN.gold, wrong=EVALATIN.wrong)
BLIND = replace(MINI, public=False, blind=True)
BOARD = "/tasks/head-distance/leaderboard/"
PROFILE = "/tasks/head-distance/organise/profile/"


def second_version(text: str) -> str:
    """It counts every distance twice."""
    doubled = text.replace("np.abs(parents[0] - parents[1])", "2 * np.abs(parents[0] - parents[1])")
    return doubled.replace('version="1.0"', 'version="2.0"').replace('version = "1.0"', 'version = "2.0"')


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {
        "1.0": build(tmp_path_factory.mktemp("first")),
        "2.0": build(tmp_path_factory.mktemp("second"), change=second_version),
    }


@pytest.fixture
def site() -> Iterator[Environment]:
    with environment() as started:
        yield started


@pytest.fixture
def team(db: None) -> None:
    """The fixture `upload` takes a team of the small task, which is not needed here."""


@pytest.fixture
def organiser(db: None) -> User:
    return User.objects.create_user("organiser", password="a long password")


@pytest.fixture
def task(
    tmp_path: Path,
    packages: dict[str, Path],
    site: Environment,
    member: User,
    organiser: User,
    upload: Callable[..., Run],
    work: Work,
) -> Task:
    site.install(packages["1.0"])
    return stand(MINI, tmp_path / "task", [member], organiser, upload, work)


@pytest.fixture
def blind_task(
    tmp_path: Path,
    packages: dict[str, Path],
    site: Environment,
    member: User,
    organiser: User,
    upload: Callable[..., Run],
    work: Work,
) -> Task:
    site.install(packages["1.0"])
    return stand(BLIND, tmp_path / "task", [member], organiser, upload, work)


def stand(
    mini: Miniature,
    folder: Path,
    members: list[User],
    organiser: User,
    upload: Callable[..., Run],
    work: Work,
) -> Task:
    """Ash submits gold, and Birch an output with errors."""
    task = mini.load(folder)
    task.organisers.add(organiser)
    ash = register(task=task, name="Ash", confirmed=True)
    birch = register(task=task, name="Birch", members=members, confirmed=True)
    for team, text in ((ash, mini.gold), (birch, mini.wrong)):
        upload(mini.archive(text), team=team)
    work()
    return task


def publish(task: Task, organiser: User, work: Work) -> None:
    close_now(task)
    release_gold(task=task, by=organiser, reason="All is over.")
    work()
    publish_results(task=task, by=organiser, reason="The task is over.")
    work()


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return " ".join(re.sub("<[^>]+>", " ", response.content.decode()).split())


def distances(client: Client) -> dict[str, str]:
    rows = csv.DictReader(io.StringIO(client.get("/tasks/head-distance/leaderboard.csv").content.decode()))
    return {row["Team"]: next(row[name] for name in row if name.startswith("Distance")) for row in rows}


def test_the_package_imports_the_objects_of_the_site(task: Task) -> None:
    module = sys.modules["head_distance"]
    assert module.Comparison is evaluation.Comparison and module.Profile is evaluation.Profile
    assert module.Table is evaluation.Table and module.PROFILE is evaluation.PROFILES["head-distance"]


def test_a_task_with_it_has_scores_intervals_and_pages(task: Task, client: Client) -> None:
    """In every other sentence of four words, one head is a word off: 1 in 8."""
    assert {score.profile_version for score in Score.objects.all()} == {"1.0"}
    standing = Standing.objects.get()
    assert "|profile:head-distance|" in standing.signature and "|profile-version:1.0|" in standing.signature
    assert standing.table["rows"][0]["run"] == task.runs.get(team__name="Ash").public_id, "lower is better"
    board = page(client, BOARD)
    assert "0.125" in board and "Birch" in board
    assert re.search(r"0\.0\d\d ?[–-] ?0\.\d\d\d", board), "with an interval"
    assert {name: figure.split(" ")[0] for name, figure in distances(client).items()} == {
        "Ash": "0.000",
        "Birch": "0.125",
    }
    system = task.runs.get(team__name="Birch").system
    text = page(client, f"/tasks/head-distance/systems/{system.public_id}/")
    assert "Words. Ranks and differences are by Distance." in text


def test_its_figures_are_in_the_package_and_in_the_archive(
    blind_task: Task,
    client: Client,
    organiser: User,
    work: Work,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publish(blind_task, organiser, work)
    answer = client.get("/tasks/head-distance/results.zip")
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        archive.extractall(tmp_path)
    monkeypatch.chdir(tmp_path / "head-distance")
    rows = list(csv.DictReader(io.StringIO(Path("scores.csv").read_text(encoding="utf-8"))))
    birch = blind_task.runs.get(team__name="Birch").public_id
    (row,) = [row for row in rows if row["id"] == birch and row["metric"] == "Distance"]
    assert row["f1"] == "0.125" and row["gold"] == "", "a metric without counts has a figure alone"
    readme = Path("README.md").read_text(encoding="utf-8")
    assert "and version 1.0 of the profile head-distance" in readme
    (command,) = [line for line in readme.splitlines() if line.startswith("arboretum campaign ")]
    assert evaluator(shlex.split(command)[1:]) == 0
    call_command("archive", "head-distance", str(tmp_path / "archived"))
    archived = (tmp_path / "archived").rglob("*.html")
    assert any("0.125" in file.read_text(encoding="utf-8") for file in archived)


def test_a_new_version_is_compared_and_put_in_force_in_one_recorded_step(
    task: Task,
    packages: dict[str, Path],
    site: Environment,
    client: Client,
    organiser: User,
    work: Work,
) -> None:
    before = distances(client)
    site.install(packages["2.0"])
    score_missing(at=clock.database_now())
    work()
    task.refresh_from_db()
    assert task.profile_version == "1.0"
    assert distances(client) == before, "nothing has changed yet"
    client.force_login(organiser)
    review = page(client, PROFILE)
    assert "Version 2.0 to review" in review
    assert "0.125" in review and "0.250" in review, "old and new side by side"
    assert "Below each figure: its 95% interval." in review
    assert "profile-version:1.0" in review and "profile-version:2.0" in review
    with pytest.raises(Refusal, match="has changed since you opened this page"):
        put_in_force(task=task, by=organiser, reason="Looked at it.", compared="3.0")
    assert "Open rankings show the new figures at once." in review
    form = {"reason": "Distances count twice now.", "compared": "2.0"}
    assert client.post(PROFILE + "put-in-force/", form).status_code == 302
    assert "Published results stay until you publish them again." in page(client, PROFILE)
    work()
    task.refresh_from_db()
    assert task.profile_version == "2.0"
    assert {name: figure.split(" ")[0] for name, figure in distances(client).items()} == {
        "Ash": "0.000",
        "Birch": "0.250",
    }
    change = ProfileChange.objects.get()
    assert (change.before, change.after, change.by) == ("1.0", "2.0", organiser)
    assert AuditEntry.objects.get(action="put-profile-in-force").reason == form["reason"]
    assert Score.objects.filter(profile_version="1.0", state="scored").count() == 2, "old scores are kept"
    past = page(client, f"{PROFILE}changes/{change.pk}/")
    assert "version 1.0 → version 2.0" in past and "0.125" in past and "0.250" in past
    assert "New version of the profile put in force" in page(client, "/tasks/head-distance/organise/log/")


def test_what_is_published_stays_until_the_new_figures_are_published(
    blind_task: Task,
    packages: dict[str, Path],
    site: Environment,
    client: Client,
    organiser: User,
    member: User,
    work: Work,
) -> None:
    task = blind_task
    publish(task, organiser, work)
    site.install(packages["2.0"])
    score_missing(at=clock.database_now())
    work()
    put_in_force(task=task, by=organiser, reason="Better.", compared="2.0")
    work()
    official = Standing.objects.filter(ranking="official")
    cited = official.get(publications__isnull=False)
    assert cited.table["profile_version"] == "1.0"
    assert distances(client)["Birch"].startswith("0.125")
    client.force_login(member)
    birch = task.runs.get(team__name="Birch")
    assert "0.125" in page(client, f"/runs/{birch.public_id}/"), "the run has the scores of the publication"
    publish_results(task=task, by=organiser, reason="With the new version.")
    assert distances(Client())["Birch"].startswith("0.250")
    assert "0.250" in page(client, f"/runs/{birch.public_id}/")


def test_a_run_that_arrives_meanwhile_waits_for_the_decision(
    task: Task,
    packages: dict[str, Path],
    site: Environment,
    client: Client,
    organiser: User,
    member: User,
    upload: Callable[..., Run],
    work: Work,
) -> None:
    """The version in force is gone, so that it cannot be scored by it; the team is not to blame."""
    site.install(packages["2.0"])
    run = upload(MINI.archive(MINI.gold), team=task.teams.get(name="Birch"))
    work()
    run.refresh_from_db()
    assert run.state == "failed" and not run.uses_quota
    (message,) = run.messages.all()
    needed = "version 1.0 of the profile head-distance is needed, and version 2.0 is installed"
    assert needed in message.original
    score_missing(at=clock.database_now())
    work()
    put_in_force(task=task, by=organiser, reason="Better.", compared="2.0")
    work()
    run.refresh_from_db()
    assert run.state == "scored"
    assert {name: figure.split(" ")[0] for name, figure in distances(client).items()} == {
        "Ash": "0.000",
        "Birch": "0.000",
    }


def test_a_profile_that_is_gone_harms_no_other_task(
    task: Task, site: Environment, client: Client, organiser: User, tmp_path: Path, work: Work
) -> None:
    site.install(None)
    score_missing(at=clock.database_now())
    call_command("sweep", verbosity=0)
    work()
    other = EVALATIN.load(tmp_path / "other")
    assert "A task with evalatin" in page(client, f"/tasks/{other.slug}/")
    assert "A task with evalatin" in page(client, "/")
    unavailable = Client(raise_request_exception=False).get(BOARD)
    assert unavailable.status_code == 503, "its own pages say that they are unavailable"
    client.force_login(organiser)
    assert "the profile head-distance is not installed" in page(client, PROFILE)
    with pytest.raises(BadTaskFolder, match="expected one of conll17"):
        MINI.load(tmp_path / "again")
