"""Several references of a test set through the site: import, scores, secrecy, release, package, command."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import zipfile
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from evaluation.cli import main as evaluator
from sharedtask.accounts.models import User
from sharedtask.competition.models import GoldReference, GoldVersion, Task
from sharedtask.competition.release_gold import release_gold
from sharedtask.core import storage
from sharedtask.folders.apply import apply
from sharedtask.folders.checks import read_folder
from sharedtask.folders.correct_gold import correct_gold
from sharedtask.folders.export import export
from sharedtask.folders.files import FilesInMemory, to_zip
from sharedtask.folders.problems import BadTaskFolder
from sharedtask.standings.document import document_of
from sharedtask.standings.models import Standing
from sharedtask.standings.publish import publish_results
from sharedtask.standings.signature import signature_of
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.register import register
from tests.sharedtask.support.building import zip_of
from tests.sharedtask.support.profiled import WRONG, lines
from tests.sharedtask.support.references import GOLD, OTHER, OUTPUTS, VALUES, folder
from tests.sharedtask.support.standing import close_now

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]


@pytest.fixture
def team(db: None) -> None:
    """The fixture `upload` takes a team of the small task, which is not needed here."""


@pytest.fixture
def bees(member: User, upload: Callable[..., Run], work: Work) -> Task:
    """Ash submits gold, Birch the other reference, Cedar half of each."""
    task = apply(folder=read_folder(folder()), by=None).task
    for name, text in OUTPUTS.items():
        registered = register(
            task=task, name=name, members=[member] if name == "Birch" else [], confirmed=True
        )
        upload(zip_of({"xx_bees.conllu": text}), team=registered)
    work()
    return task


@pytest.fixture
def organiser_of_bees(bees: Task) -> User:
    organiser = User.objects.create_user("bee-keeper")
    bees.organisers.add(organiser)
    return organiser


def text_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return " ".join(unescape(response.content.decode()).split())


def references_by_api(client: Client) -> list[dict[str, str]]:
    (test_set,) = client.get("/api/v1/tasks/bees/test-sets").json()["items"]
    names: list[dict[str, str]] = test_set["references"]
    return names


def directed(sums: dict[str, Any]) -> float:
    return 2 * sums["correct"] / (sums["gold"] + sums["system"])


def test_the_best_reference_counts_for_the_whole_file(bees: Task) -> None:
    scores = {score.file.run.team.name: score for score in Score.objects.select_related("file__run__team")}
    assert {name: score.reference for name, score in scores.items()} == {
        "Ash": "gold",
        "Birch": "adverbs",
        "Cedar": "gold",
    }
    assert directed(scores["Birch"].counts["Directed"]) == 1.0
    assert scores["Birch"].by_reference["adverbs"]["Directed"] == 1.0
    # One of three words of every sentence differs, in half of the sentences: neither reference gives more.
    assert directed(scores["Cedar"].counts["Directed"]) == pytest.approx(5 / 6)
    assert scores["Birch"].by_reference["gold"]["Directed"] == pytest.approx(2 / 3)
    assert "|reference:adverbs|" in scores["Birch"].signature


def test_references_are_sealed_and_as_secret_as_gold_until_their_release(
    bees: Task, organiser_of_bees: User, member: User, work: Work, client: Client
) -> None:
    (reference,) = GoldReference.objects.all()
    assert b"Bees" not in storage.read(reference.sealed) and reference.public_copy == ""
    assert references_by_api(client) == []
    run = bees.runs.get(team__name="Birch")
    file = "/tasks/bees/gold/xx_bees/adverbs.conllu"
    client.force_login(member)
    assert client.get(file).status_code == 404
    close_now(bees)
    publish_results(task=bees, by=organiser_of_bees, reason="The task is over.")
    work()
    for address in (f"/runs/{run.public_id}/", "/tasks/bees/sets/xx_bees/", "/tasks/bees/leaderboard/"):
        assert "100.00" in text_of(client, address) and "adverbs" not in text_of(client, address)
    client.force_login(organiser_of_bees)
    assert "against the reference adverbs" in text_of(client, f"/runs/{run.public_id}/")
    release_gold(task=bees, by=organiser_of_bees, reason="All is over.")
    work()
    client.logout()
    assert b"".join(client.get(file).streaming_content).decode() == OTHER  # type: ignore[arg-type]
    assert client.get("/tasks/bees/gold/xx_bees/nouns.conllu").status_code == 404
    of_run = text_of(client, f"/runs/{run.public_id}/")
    assert "against the reference adverbs (Directed: gold 66.67, adverbs 100.00)" in of_run
    of_set = text_of(client, "/tasks/bees/sets/xx_bees/")
    assert "This test set has 2 references" in of_set and file in of_set
    (released,) = references_by_api(client)
    assert released["name"] == "adverbs" and released["url"].endswith(file)


def test_the_package_has_the_references_and_its_command_gives_the_same_figures(
    bees: Task,
    organiser_of_bees: User,
    work: Work,
    client: Client,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    close_now(bees)
    release_gold(task=bees, by=organiser_of_bees, reason="All is over.")
    work()
    publish_results(task=bees, by=organiser_of_bees, reason="The task is over.")
    work()
    content = b"".join(client.get("/tasks/bees/results.zip").streaming_content)  # type: ignore[arg-type]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(tmp_path)
    monkeypatch.chdir(tmp_path / "bees")
    assert Path("gold/xx_bees/adverbs.conllu").read_text(encoding="utf-8") == OTHER
    rows = csv.DictReader(io.StringIO(Path("scores.csv").read_text(encoding="utf-8")))
    birch = bees.runs.get(team__name="Birch").public_id
    assert {row["reference"] for row in rows if row["id"] == birch} == {"adverbs"}
    readme = Path("README.md").read_text(encoding="utf-8")
    (command,) = [line for line in readme.splitlines() if line.startswith("arboretum ")]
    assert evaluator(shlex.split(command)[1:]) == 0
    again = json.loads(Path("official.json").read_text(encoding="utf-8"))
    standing = Standing.objects.get(task=bees, ranking="official", publications__isnull=False)
    assert again["signature"] == signature_of(standing, is_released=True)
    assert again["systems"] == document_of(standing)["systems"]
    imported = read_folder(FilesInMemory({str(p): p.read_bytes() for p in Path().rglob("*") if p.is_file()}))
    assert [reference.name for reference in imported.test_sets[0].gold[0].references] == ["adverbs"]


@pytest.mark.parametrize(
    ("reference", "line", "message"),
    [
        (OTHER.replace("hum", "buzz", 1), 2, "tokens-differ"),
        (lines(*WRONG, reader="nine"), None, "tokens-differ"),
        (OTHER.replace("\t1\tadvmod", "\t3\tadvmod", 1), 3, "cycle"),
    ],
)
def test_a_reference_with_other_tokens_is_refused_and_nothing_is_stored(
    reference: str, line: int | None, message: str
) -> None:
    with pytest.raises(BadTaskFolder) as refused:
        apply(folder=read_folder(folder(reference)), by=None)
    (problem,) = refused.value.problems
    assert problem.file == "gold/xx_bees/adverbs.conllu" and message in problem.message
    assert line is None or problem.line == line
    assert not Task.objects.exists() and not list(storage.entries("gold"))


def test_who_imports_a_reference_with_other_tokens_reads_where_they_differ(
    db: None, work: Work, client: Client
) -> None:
    client.force_login(User.objects.create_superuser("root"))
    content = to_zip(folder(OTHER.replace("hum", "buzz", 1)).files)
    upload = SimpleUploadedFile("bees.zip", content, "application/zip")
    sent = client.post("/organise/new/", {"folder": upload, "reason": "spring"})
    work()
    page = text_of(client, sent.headers["Location"])
    assert "The folder cannot be imported. Nothing was changed." in re.sub("</?strong>", "", page)
    (row,) = re.findall("<tr> <td>.*?</tr>", page)
    assert "gold/xx_bees/adverbs.conllu" in row and '"figure">2<' in row and "tokens-differ" in row
    assert "buzz" not in row, "nothing of the file is quoted"
    assert not Task.objects.exists() and not list(storage.entries("gold"))


def test_new_words_are_counted_and_shown_with_released_gold(db: None, work: Work, client: Client) -> None:
    """Two of four word types are in the training data, then three; `.` is always one of them."""

    def with_training(*forms: str) -> FilesInMemory:
        files = folder()
        sentence = lines(*(f"{form} NOUN 0 root" for form in (*forms, ".")), reader="nine")
        return FilesInMemory({**files.files, "train/xx_bees.conllu": sentence.encode()})

    task = apply(folder=read_folder(with_training("hum", "Wasps")), by=None).task
    organiser = User.objects.create_user("bee-keeper")
    task.organisers.add(organiser)
    work()
    counted = GoldVersion.objects.get().statistics
    assert (counted["word_types"], counted["new_word_types"]) == (4, 2)
    page = "/tasks/bees/sets/xx_bees/"
    assert "New words" not in text_of(client, page)
    assert client.get("/api/v1/tasks/bees/test-sets").json()["items"][0]["statistics"] is None
    apply(folder=read_folder(with_training("hum", "Bees")), by=None)
    work()
    close_now(task)
    release_gold(task=task, by=organiser, reason="The task is over.")
    work()
    assert "New words: 1 of 4 word types (25.00%) are not in the training data." in text_of(client, page)
    statistics = client.get("/api/v1/tasks/bees/test-sets").json()["items"][0]["statistics"]
    assert (statistics["word_types"], statistics["new_word_types"]) == (4, 1)


@pytest.mark.parametrize("names", [("gold",), ("a", "A")])
def test_names_of_references_are_their_own(names: tuple[str, ...]) -> None:
    references = [{"name": name, "file": "gold/xx_bees/adverbs.conllu"} for name in names]
    gold = {"version": 1, "file": "gold/xx_bees.conllu", "references": references}
    with pytest.raises(BadTaskFolder, match=r"is the name of the first reference|is already used"):
        read_folder(folder(test_sets=[VALUES["test_sets"][0] | {"gold": [gold]}]))


def test_an_input_must_not_have_the_trees_of_a_sealed_reference() -> None:
    test_set = VALUES["test_sets"][0] | {
        "inputs": [{"variant": "parsed", "version": 1, "file": "gold/xx_bees/adverbs.conllu"}]
    }
    with pytest.raises(BadTaskFolder, match="has the heads and relations of the gold of xx_bees"):
        read_folder(folder(test_sets=[test_set]))


@pytest.mark.usefixtures("as_worker")
def test_references_are_exported_and_belong_to_their_version(bees: Task, organiser_of_bees: User) -> None:
    exported = dict(export(Task.objects.get()))
    assert exported["gold/xx_bees.1.adverbs.conllu"].decode() == OTHER
    again = apply(folder=read_folder(FilesInMemory(exported)), by=None)
    assert again.plan.changes == []
    with pytest.raises(BadTaskFolder, match="version 1 already exists with different content"):
        apply(folder=read_folder(folder(GOLD)), by=None)
    with pytest.raises(BadTaskFolder, match="several references"):
        correct_gold(test_set=bees.test_sets.get(), content=OTHER.encode(), by=None, note="Better.")
    values = yaml.safe_load(exported["task.yaml"])
    other_metric = yaml.safe_dump(values | {"main_metrics": ["Undirected"]}).encode()
    with pytest.raises(BadTaskFolder, match="decides which of several references is best"):
        apply(folder=read_folder(FilesInMemory(exported | {"task.yaml": other_metric})), by=None)
    (test_set,) = values["test_sets"]
    test_set["gold"].append({"version": 2, "file": test_set["gold"][0]["file"]})
    exported["task.yaml"] = yaml.safe_dump(values).encode()
    imported = apply(folder=read_folder(FilesInMemory(exported)), by=None)
    assert imported.plan.lines == ["add gold version 2 of xx_bees"]
    first, second = GoldVersion.objects.order_by("number")
    assert first.has_references and not second.has_references
    assert first.sha256 == second.sha256 and first.combined_sha256 != second.combined_sha256
    assert bees.test_sets.get().gold_in_force == first
