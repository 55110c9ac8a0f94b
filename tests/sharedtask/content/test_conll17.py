"""`manage.py load_conll17`: a finished task of what real teams delivered, with the published figures."""

from __future__ import annotations

import csv
import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from django.core.management import CommandError
from django.test import Client

from evaluation.ranking.aggregate import format_f1, ranks
from sharedtask.competition.models import Task
from sharedtask.content.conll17 import finish
from sharedtask.content.conll17.groups import GROUPS
from sharedtask.content.conll17.languages import language_of
from sharedtask.content.conll17.teams import key_of
from sharedtask.standings.models import Publication, Standing
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.teams.models import Team
from tests.sharedtask.support.building import FIRST, tar_of, zip_of
from tests.sharedtask.support.conll17 import load, small_data

pytestmark = pytest.mark.usefixtures("as_worker")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return small_data(tmp_path / "small")


@pytest.mark.django_db
def test_everybody_sees_the_results_at_once(small: Path, client: Client) -> None:
    load(small)
    task = Task.objects.get(slug="conll17")
    assert task.groups == ["big", "surprise"]
    assert [
        (test_set.code, test_set.language, test_set.language_tag) for test_set in task.test_sets.all()
    ] == [
        ("de_one", "German", "de"),
        ("qqq", "qqq", "qqq"),
    ]
    assert all(item.gold_in_force and item.gold_in_force.public_copy for item in task.test_sets.all())
    standing = Standing.objects.get(publications__task=task, ranking="official")
    page = client.get("/tasks/conll17/leaderboard/")
    assert page.status_code == 200
    for name in ("Koç University", "BASELINE UDPipe 1.1", "UT", "Unheard", standing.signature):
        assert name in page.content.decode()
    document = client.get(f"/standings/{standing.public_id}.json").json()
    by_team = {document["names"][system["name"]]["team"]: system for system in document["systems"]}
    assert by_team["Koç University"]["treebanks"]["qqq"]["LAS"] == pytest.approx(2 / 3)
    assert by_team["UT"]["treebanks"]["qqq"]["status"] == "invalid"
    assert by_team["UT"]["treebanks"]["de_one"]["status"] == "missing"
    assert [name for name, system in by_team.items() if system["baseline"]] == ["BASELINE UDPipe 1.1"]


@pytest.mark.django_db
def test_every_page_and_export_of_a_part_says_how_much_of_the_task_it_is(small: Path, client: Client) -> None:
    """The table of the data has two test sets more than the 81 of 2017."""
    load(small)
    standing = Standing.objects.get(publications__task__slug="conll17", ranking="official")
    system = Team.objects.get(name="UT").primary_system.public_id
    for page in (
        "/",
        *(f"/tasks/conll17/{name}" for name in ("", "leaderboard/", "leaderboard/?scope=big", "matrix/")),
        *(f"/tasks/conll17/{name}" for name in ("sets/", "sets/qqq/", "compare/", f"systems/{system}/")),
        *(f"/tasks/conll17/leaderboard.{ending}" for ending in ("csv", "tex", "md")),
        *(f"/tasks/conll17/leaderboard.{ending}?scope=big" for ending in ("csv", "tex", "md")),
        "/tasks/conll17/matrix.csv",
    ):
        assert "2 of 83 test sets" in client.get(page).content.decode(), page
    for document in ("/tasks/conll17/leaderboard.json", f"/standings/{standing.public_id}.json"):
        assert client.get(document).json()["test_sets_total"] == 83
    package = io.BytesIO(b"".join(client.get("/tasks/conll17/results.zip")))  # type: ignore[arg-type]
    with zipfile.ZipFile(package) as files:
        (readme,) = [name for name in files.namelist() if name.endswith("README.md")]
        assert "2 of 83 test sets" in files.read(readme).decode()


@pytest.mark.django_db
def test_a_complete_task_says_nothing_of_its_completeness(small: Path, client: Client) -> None:
    load(small)
    Task.objects.update(test_sets_total=2)
    for page in ("", "leaderboard/", "matrix/", "sets/", "leaderboard.csv", "matrix.csv"):
        assert "of 2 test sets" not in client.get(f"/tasks/conll17/{page}").content.decode(), page


@pytest.mark.django_db
def test_teams_have_their_towns_and_their_times(small: Path) -> None:
    load(small)
    assert Team.objects.get(name="Koç University").affiliation == "İstanbul"
    assert f"{Run.objects.get(team__name='UT').received_at:%Y-%m-%d %H:%M:%S}" == "2017-05-15 01:44:30"
    invalid = RunFile.objects.get(run__team__name="UT", test_set__code="qqq")
    assert invalid.incidents[0]["id"] == "several-roots"


@pytest.mark.django_db
def test_loading_again_changes_nothing(small: Path) -> None:
    load(small)
    before = everything()
    load(small)
    assert everything() == before


@pytest.mark.django_db
def test_an_interrupted_load_goes_on_where_it_stopped(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise KeyboardInterrupt

    for step in ("score_all", "release", "compute_standings", "publish", "pack"):
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(finish, step, fail)
            load(small)
    scored = set(Score.objects.values_list("public_id", flat=True))
    load(small)
    assert set(Score.objects.values_list("public_id", flat=True)) == scored
    assert Publication.objects.count() == 1


@pytest.mark.django_db
def test_a_test_set_more_is_scored_and_published(small: Path) -> None:
    remaining = small / "qqq.tar.xz"
    later = remaining.read_bytes()
    remaining.unlink()
    load(small)
    remaining.write_bytes(later)
    load(small)
    row = Publication.objects.first()
    assert row is not None
    standing = row.standings.get(ranking="official")
    assert [test_set["code"] for test_set in standing.table["test_sets"]] == ["de_one", "qqq"]
    remaining.unlink()
    with pytest.raises(CommandError, match=r"not in this folder: qqq.*--slug"):
        load(small)
    load(small, slug="another")
    assert Task.objects.get(slug="another").test_sets.get().code == "de_one"


@pytest.mark.django_db
def test_folders_packed_files_and_other_line_ends_are_read_as_well(small: Path) -> None:
    with tarfile.open(small / "qqq.tar.xz") as archive:
        archive.extractall(small, filter="data")
    for table in (small / "qqq.tar.xz", *small.glob("*.tsv")):
        table.unlink()
    gold, output = small / "qqq" / "gold.conllu", small / "qqq" / "system" / "Koc-University.conllu"
    gold.write_bytes(gold.read_bytes().replace(b"\n", b"\r\n"))
    output.with_suffix(".conllu.gz").write_bytes(gzip.compress(output.read_bytes()))
    output.rename(small / "qqq" / "system" / "Übung 2.conllu")
    (small / "qqq" / ".DS_Store").touch()
    load(small)
    scored = Score.objects.filter(file__test_set__code="qqq").values_list("file__run__team__name", "counts")
    correct = {team: counts["LAS"]["correct"] for team, counts in scored}
    assert correct == {"Koc-University": 2, "Übung 2": 2, "conll17-baseline": 3}


def everything() -> dict[str, Any]:
    return {
        model.__name__: list(model.objects.order_by("pk").values())  # type: ignore[attr-defined]
        for model in (Task, Team, Run, RunFile, Score, Standing, Publication)
    }


Spoil = Callable[[Path], object]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda folder: [file.unlink() for file in folder.glob("*.xz")],
            "contains neither <treebank>.tar.xz nor",
        ),
        (
            lambda folder: (folder / "de_one.tar.xz").write_bytes(b"no archive"),
            "de_one.tar.xz: Judging by its contents, this file is a text file",
        ),
        (
            lambda folder: (folder / "x.tar.xz").write_bytes(tar_of({"x/a": ""}, "xz")),
            "x.tar.xz: found 'x/a'",
        ),
        (
            lambda folder: (folder / "x.tar.xz").write_bytes(tar_of({"x/../../gold.conllu": ""}, "xz")),
            "x.tar.xz: found 'x/../../gold.conllu'",
        ),
        (lambda folder: (folder / "x.tar.xz").write_bytes(tar_of({}, "xz")), "x/gold.conllu is missing"),
        (lambda folder: (folder / "groups.tsv").write_text("a\tb\n"), "groups.tsv: the column treebank"),
        (lambda folder: (folder / "x" / "system").mkdir(parents=True), "x: x/gold.conllu is missing"),
        (
            lambda folder: (folder / "de_one.zip").write_bytes(b""),
            "found de_one.tar.xz and de_one.zip, expected one",
        ),
        (
            lambda folder: (folder / "x.zip").write_bytes(
                zip_of({"x/gold.conllu": FIRST, "x/system/A.conllu": FIRST, "x/system/A.conllu.gz": FIRST})
            ),
            "x.zip: found 'system/A.conllu.gz' and another",
        ),
        (
            lambda folder: (folder / "x.zip").write_bytes(
                zip_of({"gold.conllu": FIRST, "system/A.conllu.gz": b"\x1f\x8b\x08damaged"})
            ),
            "x.zip: A.conllu.gz: The file cannot be read",
        ),
        (
            lambda folder: (folder / "x.tar.xz").write_bytes(tar_of({"x/gold.conllu": "nothing"}, "xz")),
            "gold/x.conllu",
        ),
    ],
    ids=[
        "empty",
        "no-archive",
        "unknown-name",
        "escaping-name",
        "no-gold",
        "no-column",
        "folder-without-gold",
        "archive-twice",
        "team-twice",
        "damaged-file",
        "invalid-gold",
    ],
)
@pytest.mark.django_db
def test_a_folder_that_is_not_right_is_refused_in_plain_words(
    small: Path, spoil: Spoil, message: str
) -> None:
    spoil(small)
    with pytest.raises(CommandError) as refusal:
        load(small)
    assert message in str(refusal.value)
    assert not Task.objects.exists()


@pytest.mark.django_db
def test_without_the_private_key_it_says_what_to_do(small: Path, settings: Any) -> None:
    settings.GOLD_PRIVATE_KEY_FILE = ""
    with pytest.raises(CommandError, match="make serve"):
        load(small)


def test_names_of_files_are_found_in_the_ranking(shared_data: Path) -> None:
    with (shared_data / "conll17" / "published-ranking.tsv").open(encoding="utf-8", newline="") as file:
        keys = {key_of(row["team"]) for row in csv.DictReader(file, delimiter="\t")}
    published = {row["team"] for row in published_rows(shared_data)}
    assert keys == published - {"conll17-baseline"} | {"baseline"}


def test_every_test_set_of_2017_has_a_language_and_a_group(shared_data: Path) -> None:
    with (shared_data / "conll17" / "groups.tsv").open(encoding="utf-8", newline="") as file:
        rows = {row["treebank"]: row["group"] for row in csv.DictReader(file, delimiter="\t")}
    assert rows == GROUPS and len(GROUPS) == 81
    assert [code for code in GROUPS if language_of(code).name == code] == []
    assert language_of("pt_br").tag == "pt-BR"
    assert language_of("no_nynorsk").tag == language_of("no_nynorsklia").tag == "nn"


def published_rows(shared_data: Path) -> list[dict[str, str]]:
    with (shared_data / "conll17" / "published-per-treebank.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.django_db
def test_every_figure_of_the_real_task_is_the_published_one(
    shared_data: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All teams, all test sets that are here, all metrics; averages are within rounding of the published."""
    # Packing a quarter of a gigabyte takes a while, and small packages are tested elsewhere.
    monkeypatch.setattr(finish, "pack", lambda *args: None)
    load(shared_data / "conll17")
    standing = Standing.objects.get(publications__task__slug="conll17", ranking="official")
    document = client.get(f"/standings/{standing.public_id}.json").json()
    files = dict(Run.objects.values_list("public_id", "filename"))
    ours = {files[item["name"]].removesuffix(".zip"): item for item in document["systems"]}
    rows: dict[str, dict[str, dict[str, str]]] = {team: {} for team in ours}
    for row in published_rows(shared_data):
        rows[row["team"]][row["treebank"]] = row
    codes = [test_set["code"] for test_set in document["test_sets"]]
    metrics = list(document["systems"][0]["macro"]["all"])
    assert len(codes) >= 16 and len(ours) == 33 and len(metrics) == 11
    for team, system in ours.items():
        for code in codes:
            for metric in metrics:
                expected = rows[team][code][f"{metric}-F1"] if code in rows[team] else "0.00"
                assert format_f1(system["treebanks"][code].get(metric, 0.0)) == expected, (team, code, metric)
    for metric in metrics:
        averages = {team: system["macro"]["all"][metric]["f1"] for team, system in ours.items()}
        theirs = {
            team: mean(
                float(rows[team][code][f"{metric}-F1"]) / 100 if code in rows[team] else 0.0 for code in codes
            )
            for team in ours
        }
        assert averages == pytest.approx(theirs, abs=5.0001e-5)
    las = {team: system["macro"]["all"]["LAS"]["f1"] for team, system in ours.items()}
    assert {team: system["rank"] for team, system in ours.items()} == ranks(las)
    assert [team for team, system in ours.items() if system["baseline"]] == ["conll17-baseline"]
    page = client.get("/tasks/conll17/leaderboard/").content.decode()
    assert all(format_f1(figure) in page for figure in las.values())
