"""The data package: all of the published results, nothing before its time, and the same figures again."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import shlex
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from evaluation.cli import main as evaluator
from sharedtask.accounts.models import User
from sharedtask.archive.models import Package
from sharedtask.archive.package.make import PackResults, make
from sharedtask.archive.package.tables import as_csv
from sharedtask.cascades.start import publish_experiment
from sharedtask.competition.models import Task
from sharedtask.competition.release_gold import release_gold
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock, storage
from sharedtask.folders.load_task import load_task
from sharedtask.standings.document import document_of
from sharedtask.standings.models import Publication, Standing
from sharedtask.submissions.models import Run
from sharedtask.submissions.reject import reject
from sharedtask.submissions.withdraw import withdraw_run
from sharedtask.teams.models import System
from sharedtask.work.sweep import sweep
from tests.sharedtask.support.building import TWO_ROOTS
from tests.sharedtask.support.cascades_scenery import add_experiment, add_version
from tests.sharedtask.support.packages import ADDRESS, files_of, publish
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.standing import close_now

pytestmark = pytest.mark.django_db(transaction=True)


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def test_nothing_before_publication_and_nothing_of_gold_before_its_release(
    blind_task: Task, organiser: User, runs: dict[str, Run], work: Callable[[], None], client: Client
) -> None:
    assert client.get(ADDRESS).status_code == 404
    publish(blind_task, organiser)
    work()
    files = files_of(client.get(ADDRESS))
    assert {name.split("/")[0] for name in files} == {
        *("README.md", "task.yaml", "gold.csv", "systems.csv", "scores.csv", "test")
    }
    everything = b"".join(files.values())
    for version in (test_set.gold_in_force for test_set in blind_task.test_sets.all()):
        assert version and version.sha256.encode() not in everything
    scores = rows_of(files["scores.csv"])
    assert {row["gold"] + row["system"] + row["correct"] + row["aligned"] for row in scores} == {""}
    assert [row["f1"] for row in scores if row["id"] == runs["Alder"].public_id][:2] == ["1.0", "1.0"]
    assert "has not been released" in files["README.md"].decode()


def test_a_withdrawn_system_has_no_interval_in_a_package_before_the_release(
    blind_task: Task, organiser: User, runs: dict[str, Run], work: Callable[[], None], client: Client
) -> None:
    publish(blind_task, organiser)
    withdraw_run(run=runs["Cedar"], by=organiser, reason="Their wish.", at=clock.database_now())
    work()
    publish(blind_task, organiser)
    work()
    rows = rows_of(files_of(client.get(ADDRESS))["test/official.csv"])
    withdrawn = [row for row in rows if row["id"] == runs["Cedar"].public_id]
    assert {(row["low"], row["high"], row["rank"]) for row in withdrawn} == {("", "", "")}
    assert all(row["f1"] for row in withdrawn)


def test_the_command_in_the_readme_gives_the_same_signature_and_figures(
    blind_task: Task,
    organiser: User,
    runs: dict[str, Run],
    work: Callable[[], None],
    client: Client,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    withdraw_run(run=runs["Dogwood"], by=organiser, reason="Their wish.", at=clock.database_now())
    close_now(blind_task)
    release_gold(task=blind_task, by=organiser, reason="All is over.")
    work()
    publish(blind_task, organiser)
    work()
    answer = client.get(ADDRESS)
    content = b"".join(answer.streaming_content)
    assert hashlib.sha256(content).hexdigest() == answer.headers["ETag"].strip('"')
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(tmp_path)
    monkeypatch.chdir(tmp_path / "blind")
    lines = Path("README.md").read_text(encoding="utf-8").splitlines()
    (command,) = [line for line in lines if line.startswith("arboretum ")]
    assert evaluator(shlex.split(command)[1:]) == 0
    again = json.loads(Path("official.json").read_text(encoding="utf-8"))
    document = json.loads(Path("test/official.json").read_text(encoding="utf-8"))
    standing = Standing.objects.get(publications__isnull=False, ranking="official")
    assert document == document_of(standing)
    assert again["signature"] == standing.signature and "hmac" not in standing.signature
    assert {item["name"] for item in again["systems"]} == {
        runs[name].public_id for name in ("Alder", "Base", "Cedar")
    }
    for system in again["systems"]:
        for file in system["treebanks"].values():
            # Messages quote the file, and the site keeps them with the run.
            file.pop("message", None)
    assert [again[part] for part in ("systems", "pairs", "test_sets", "agreement")] == [
        document[part] for part in ("systems", "pairs", "test_sets", "agreement")
    ]


def test_a_signature_from_before_the_release_is_explained_and_verified(
    blind_task: Task,
    organiser: User,
    runs: dict[str, Run],
    work: Callable[[], None],
    client: Client,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
) -> None:
    publish(blind_task, organiser)
    work()
    page = "/tasks/blind/leaderboard.json"
    before = client.get(page).json()["signature"]
    assert "|gold:hmac-" in before
    release_gold(task=blind_task, by=organiser, reason="All is over.")
    work()
    after = client.get(page).json()["signature"]
    make(Publication.objects.get().pk)
    with zipfile.ZipFile(io.BytesIO(b"".join(client.get(ADDRESS).streaming_content))) as archive:
        archive.extractall(tmp_path)
    monkeypatch.chdir(tmp_path / "blind")
    readme = Path("README.md").read_text(encoding="utf-8")
    (command,) = [line for line in readme.splitlines() if line.startswith("arboretum ")]
    assert evaluator(shlex.split(command)[1:]) == 0
    again = json.loads(Path("official.json").read_text(encoding="utf-8"))
    assert again["signature"] == after != before
    assert json.loads(Path("test/official.json").read_text(encoding="utf-8"))["signature"] == after
    assert f"`{before}`" in readme and "has verified the HMAC" in readme
    about = client.get("/tasks/blind/results/").content.decode()
    assert before in about and after in about and "has verified the HMAC" in about
    settings.SECRET_KEY = "another server's"
    assert "can no longer be verified" in client.get("/tasks/blind/results/").content.decode()


def test_a_package_holds_what_its_tables_say(
    blind_task: Task, organiser: User, runs: dict[str, Run], work: Callable[[], None], client: Client
) -> None:
    close_now(blind_task)
    release_gold(task=blind_task, by=organiser, reason="All is over.")
    work()
    publish(blind_task, organiser)
    work()
    files = files_of(client.get(ADDRESS))
    for row in rows_of(files["gold.csv"]):
        assert hashlib.sha256(files[f"gold/{row['test_set']}.conllu"]).hexdigest() == row["sha256"]
    names = {row["id"]: row["team"] for row in rows_of(files["systems.csv"])}
    assert names == {run.public_id: name for name, run in runs.items()}
    states = {(names[row["id"]], row["test_set"]): row["state"] for row in rows_of(files["scores.csv"])}
    assert states["Cedar", "en_two"] == "invalid" and states["Dogwood", "en_two"] == "missing"
    cedar = runs["Cedar"].public_id
    assert files[f"systems/{cedar}/en_two.conllu"] == TWO_ROOTS.encode()
    las = [row for row in rows_of(files["scores.csv"]) if row["id"] == cedar and row["metric"] == "LAS"]
    assert [(row["gold"], row["system"], row["correct"]) for row in las] == [("4", "4", "3")]
    figures = rows_of(files["test/official.csv"])
    best = [row for row in figures if row["scope"] == "all" and row["metric"] == "LAS" and row["rank"] == "1"]
    assert [(row["team"], row["f1"]) for row in best] == [("Alder", "1.0")]


def test_published_experiments_come_along_until_their_system_is_withdrawn(
    blind_task: Task, organiser: User, runs: dict[str, Run], work: Callable[[], None], client: Client
) -> None:
    close_now(blind_task)
    release_gold(task=blind_task, by=organiser, reason="All is over.")
    work()
    experiment = add_experiment(add_version(runs["Alder"].team), codes=("de_one", "en_two"))
    publish(blind_task, organiser)
    work()
    assert not any(name.startswith("cascades/") for name in files_of(client.get(ADDRESS)))
    publish_experiment(experiment=experiment, by=organiser, reason="All is over.")
    make(Publication.objects.get().pk)
    files = files_of(client.get(ADDRESS))
    folder = f"cascades/{experiment.public_id}/"
    assert sorted(name.removeprefix(folder) for name in files if name.startswith("cascades/")) == [
        "all.json", "destroyed.csv", "effects.csv", "repaired.csv", "sets/de_one.json", "sets/en_two.json"
    ]  # fmt: skip
    page = experiment.get_absolute_url()
    assert files[f"{folder}all.json"] == client.get(f"{page}cascades.json").content
    assert files[f"{folder}effects.csv"] == client.get(f"{page}effects.csv").content
    assert files[f"{folder}sets/en_two.json"] == client.get(f"{page}cascades.json?set=en_two").content
    assert "cascades/<experiment>/" in files["README.md"].decode()
    System.objects.filter(team=runs["Alder"].team).update(withdrawn_at=clock.database_now())
    assert client.get(ADDRESS).status_code == 503, "what is not public any more is not served"
    make(Publication.objects.get().pk)
    assert not any(name.startswith("cascades/") for name in files_of(client.get(ADDRESS)))


def test_no_name_in_a_table_is_a_formula() -> None:
    rows = [("id", "team"), ("x1", "=1+1"), ("x2", "＝1+1"), ("x3", -1), ("x4", "0.5")]
    assert as_csv(rows) == "id,team\nx1,'=1+1\nx2,'＝1+1\nx3,-1\nx4,0.5\n"


def test_the_package_is_itself_a_task_folder(
    blind_task: Task,
    organiser: User,
    runs: dict[str, Run],
    work: Callable[[], None],
    client: Client,
    tmp_path: Path,
) -> None:
    close_now(blind_task)
    release_gold(task=blind_task, by=organiser, reason="All is over.")
    work()
    publish(blind_task, organiser)
    work()
    for name, content in files_of(client.get(ADDRESS)).items():
        path = tmp_path / "again" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.replace(b"slug: blind", b"slug: again"))
    again = load_task(tmp_path / "again")
    assert all(
        test_set.gold_in_force and test_set.gold_in_force.is_released for test_set in again.test_sets.all()
    )
    assert [item.code for item in again.test_sets.all()] == [
        entry.code for entry in blind_task.test_sets.all()
    ]


def test_the_same_contents_are_the_same_bytes(
    blind_task: Task, organiser: User, runs: dict[str, Run], work: Callable[[], None]
) -> None:
    publish(blind_task, organiser)
    work()
    first = Package.objects.get()
    assert not make(first.publication_id)
    first.delete()
    assert make(first.publication_id)
    again = Package.objects.get()
    assert (again.sha256, again.size_bytes) == (first.sha256, first.size_bytes)


def test_a_run_that_is_rejected_later_takes_its_outputs_with_it(
    blind_task: Task,
    organiser: User,
    runs: dict[str, Run],
    work: Callable[[], None],
    dispatched: list[Sent],
    stored: Callable[[str], list[str]],
    client: Client,
) -> None:
    close_now(blind_task)
    release_gold(task=blind_task, by=organiser, reason="All is over.")
    work()
    publish(blind_task, organiser)
    work()
    before = stored("public")
    reject(run=runs["Alder"], by=organiser, reason="It was trained on the test data.")
    response = client.get(ADDRESS)
    assert response.status_code == 503, "the written package has outputs that are no longer public"
    assert response.headers["Retry-After"] == "60"
    assert "The data package is being written" in response.content.decode()
    assert sweep(PackResults(), at=clock.database_now()).dispatched == 1
    work()
    files = files_of(client.get(ADDRESS))
    assert not [name for name in files if runs["Alder"].public_id in name]
    assert "Only partly possible" in files["README.md"].decode()
    assert len(stored("public")) == len(before)
    assert Package.objects.count() == Publication.objects.count() == 1


def test_a_sealed_set_leaves_no_trace_in_a_package(
    blind_task: Task, organiser: User, runs: dict[str, Run], work: Callable[[], None], client: Client
) -> None:
    blind_task.groups = [*blind_task.groups, "canarygroup"]
    blind_task.save(update_fields=["groups"])
    blind_task.test_sets.create(
        code="xx_canary",
        language="Canarian",
        language_tag="xx",
        groups=["canarygroup"],
        revealed_at=clock.database_now() + timedelta(days=1),
    )
    request_standings(blind_task.phases.get().pk)
    work()
    publish(blind_task, organiser)
    work()
    everything = b"".join(files_of(client.get(ADDRESS)).values()).lower()
    assert b"canar" not in everything and b"en_two" in everything


def test_a_package_whose_file_is_gone_is_written_again(
    blind_task: Task,
    organiser: User,
    runs: dict[str, Run],
    work: Callable[[], None],
    dispatched: list[Sent],
    client: Client,
) -> None:
    publish(blind_task, organiser)
    work()
    before = Package.objects.get()
    storage.remove(before.stored)
    assert client.get(ADDRESS).status_code == 503
    assert client.get(ADDRESS).status_code == 503, "also when the row is gone"
    assert "being written" in client.get("/tasks/blind/results/").content.decode()
    assert sweep(PackResults(), at=clock.database_now() + timedelta(minutes=1)).dispatched == 1
    work()
    assert len(files_of(client.get(ADDRESS))) > 5
    assert Package.objects.get().sha256 == before.sha256


def test_a_reader_who_has_it_is_told_so(
    blind_task: Task, organiser: User, runs: dict[str, Run], work: Callable[[], None], client: Client
) -> None:
    publish(blind_task, organiser)
    work()
    answer = client.get(ADDRESS)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="blind-results.zip"'
    assert int(answer.headers["Content-Length"]) == Package.objects.get().size_bytes
    answer.close()
    assert client.get(ADDRESS, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
