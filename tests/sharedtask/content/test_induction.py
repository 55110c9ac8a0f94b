"""The induction demo: three tracks over the same test sets, with the server's baselines, on every page."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import call_command
from django.test import Client, override_settings

import evaluation
from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.content.induction.systems import SYSTEMS, output_of
from sharedtask.content.induction.treebanks import nine_columns
from sharedtask.core import clock
from sharedtask.core.keys import KeyFiles
from sharedtask.curves.models import SeriesAnalysis
from sharedtask.folders.apply import apply
from sharedtask.folders.checks import read_folder
from sharedtask.folders.export import export
from sharedtask.folders.files import FilesInMemory
from sharedtask.folders.plan import make_plan
from sharedtask.leaderboard.board.build import Board, build
from sharedtask.leaderboard.board.gather import gather_facts
from sharedtask.leaderboard.board.query import BoardQuery
from sharedtask.standings.models import Standing
from sharedtask.standings.visible_standings import result_phases
from sharedtask.submissions.make_baselines import NAMES, make_baselines, overdue
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.work.kinds import PATIENCE
from tests.sharedtask.support.sending import Sent

ADDRESS = "/tasks/induction/"
TRACKS = ("tags", "dependencies", "joint")
TABLES = ("csv", "json", "tex", "md")


def board_of(task: Task, **query: str) -> Board:
    at, chosen = clock.database_now(), BoardQuery(**query)
    phase = Phase.objects.select_related("task").get(task=task)
    phases = result_phases(AnonymousUser(), task.slug, at=at)
    return build(gather_facts(AnonymousUser(), phase, phases, chosen, at=at), chosen)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: f"{system.team}-{system.track}")
def test_the_files_of_a_system_are_valid_and_the_same_every_time(system: object, demo_gold: Path) -> None:
    text = demo_gold.read_text(encoding="utf-8")
    output = output_of(system, text, demo_gold.stem)  # type: ignore[arg-type]
    assert output == output_of(system, text, demo_gold.stem)  # type: ignore[arg-type]
    is_tagger = system.track == "tags"  # type: ignore[attr-defined]
    gold = nine_columns(text).encode()
    report = evaluation.validate(
        output.encode(), profile="pascal12", reader="nine-tags" if is_tagger else "nine", tokens=gold
    )
    assert report.counts == {}


@pytest.fixture
def demo_gold(settings: object) -> Path:
    return Path(settings.BASE_DIR) / "demo" / "gold" / "de_garten.conllu"  # type: ignore[attr-defined]


@pytest.mark.django_db(transaction=True)
def test_the_induction_demo_has_three_boards_with_baselines_of_the_server(
    dispatched: list[Sent], work: Callable[[], None], data_dir: Path, client: Client, gold_keys: KeyFiles
) -> None:
    call_command("load_demo", induction=True)
    task = Task.objects.get(slug="induction")
    work()
    assert not Run.objects.filter(task=task).exclude(state="scored").exists()
    assert not RunFile.objects.filter(run__task=task, state="invalid").exists()
    assert set(Standing.objects.filter(task=task).values_list("track", flat=True)) == set(TRACKS)
    check_boards(task)
    check_pages(task, client)
    check_references(task, client)
    check_downloads(client)
    before = Run.objects.count()
    with override_settings(GOLD_PRIVATE_KEY_FILE=str(gold_keys.private)):
        check_the_folder(task)
        make_baselines(task.phases.get().pk)
    assert overdue(clock.database_now(), PATIENCE) == []
    assert Run.objects.count() == before, "the baselines exist already"


def check_boards(task: Task) -> None:
    names = {track: {row.name for row in board_of(task, track=track).rows} for track in TRACKS}
    baselines = set(NAMES.values())
    assert names["tags"] == {"Linden", "Rowan", "Juniper"}, "a branching baseline has no classes"
    assert names["dependencies"] == {"Linden", "Hornbeam", "Juniper"} | baselines
    assert names["joint"] == {"Rowan", "Hornbeam"} | baselines
    marked = {row.name for row in board_of(task, track="joint").rows if row.entrant.baseline}
    assert marked == baselines
    board = board_of(task, track="tags", metric="VI")
    figures = [float(row.score) for row in board.rows]
    assert figures == sorted(figures) and [row.rank for row in board.rows] == [1, 2, 3], "lower is better"
    assert "track:tags" in board.signature and "reader:nine-tags" in board.signature
    joint = board_of(task, track="joint", metric="VI")
    assert [row.score for row in joint.rows if row.entrant.baseline] == ["–"] * 3, "they have no classes"
    assert joint.rows[0].name == "Rowan" and joint.rows[1].name == "Hornbeam"
    assert board_of(task, track="tags").metric == "VM" and board_of(task, track="joint").metric == "Directed"
    scores = Score.objects.filter(file__run__task=task, file__run__track="tags").done()
    assert all(set(score.counts) >= {"VM", "VI fine"} and "Directed" not in score.counts for score in scores)


def check_pages(task: Task, client: Client) -> None:
    run = Run.objects.filter(task=task, track="dependencies", team__name="Linden").get()
    other = Run.objects.filter(task=task, track="dependencies", team__name="Juniper").get()
    pages = ["leaderboard/", "matrix/", "systems/", "sets/", "sets/de_garten/", "tables/", "compare/"]
    for track in TRACKS:
        for page in pages:
            response = client.get(f"{ADDRESS}{page}?track={track}")
            assert response.status_code == 200, (track, page)
            assert {"tags": "Tags", "dependencies": "Dependencies", "joint": "Joint"}[track] in (
                response.content.decode()
            )
    assert client.get(f"{ADDRESS}systems/{run.system.public_id}/?track=dependencies").status_code == 200
    comparison = urlencode([("track", "dependencies"), ("with", run.public_id), ("with", other.public_id)])
    assert client.get(f"{ADDRESS}compare/?{comparison}").status_code == 200
    client.force_login(User.objects.get(username="linden"))
    upload = client.get(f"{ADDRESS}upload/").content.decode()
    assert '<select id="track" name="track" required>' in upload
    page = client.get(f"/runs/{run.public_id}/").content.decode()
    assert "<dt>Track</dt><dd>Dependencies</dd>" in page and "NED" in page and ">VM<" not in page
    assert client.get(f"{ADDRESS}team/").status_code == 200
    client.logout()


def check_references(task: Task, client: Client) -> None:
    """Right-branching trees are nearer to the reference in which prepositions are heads."""
    scores = Score.objects.filter(file__run__task=task, file__run__track="dependencies")
    spanish = scores.filter(file__test_set__code="es_cocina").select_related("file__run__team")
    best = {score.file.run.team.name: score.reference for score in spanish}
    assert best["Right branching"] == "prepositions" and best["Linden"] == "gold"
    assert set(scores.exclude(file__test_set__code="es_cocina").values_list("reference", flat=True)) == {""}
    page = client.get(f"{ADDRESS}sets/es_cocina/?track=dependencies").content.decode()
    assert "This test set has 2 references" in page and "Directed against prepositions" in page
    assert "VM against prepositions" in client.get(f"{ADDRESS}sets/es_cocina/?track=tags").content.decode()


def check_downloads(client: Client) -> None:
    for ending in TABLES:
        response = client.get(f"{ADDRESS}leaderboard.{ending}?track=tags&metric=VI")
        assert response.status_code == 200
        if ending == "json":
            document = json.loads(response.content)
            assert document["track"] == "tags" and "track:tags" in document["signature"]
        if ending == "csv":
            rows = list(csv.DictReader(io.StringIO(response.content.decode("utf-8-sig"))))
            assert [row["Rank"] for row in rows[:3]] == ["1", "2", "3"]


def check_the_folder(task: Task) -> None:
    """Exporting, importing and exporting again gives the same bytes, and importing changes nothing."""
    files = dict(export(task))
    folder = read_folder(FilesInMemory(files))
    assert make_plan(folder).lines == []
    apply(folder=folder, by=None)
    assert dict(export(Task.objects.get(pk=task.pk))) == files


@pytest.mark.django_db(transaction=True)
def test_the_induced_trees_are_placed_on_the_curve_of_the_series(
    dispatched: list[Sent], work: Callable[[], None], data_dir: Path, client: Client, gold_keys: KeyFiles
) -> None:
    """Those of its track; systems of other tracks get other inputs, or have no trees."""
    call_command("load_demo", induction=True)
    work()
    address = f"{ADDRESS}curves/"
    assert b"supervised" in client.get(address).content
    (row,) = SeriesAnalysis.objects.all()
    assert row.problems == [] and len(row.runs) == 8
    average = json.loads(client.get(f"{address}{row.system.public_id}/open/curves.json").content)
    assert average["sizes"] == [5, 20, 100, 500]
    assert average["uas"] == sorted(average["uas"])
    assert "DET>" in average["simple"] and "NOUN>" not in average["simple"]
    assert all(spread > 0 for spread in average["spread"]["overall"])
    placed = {name: system["overall"]["sentences"] for name, system in average["equivalents"].items()}
    assert {"Linden", "Hornbeam", "Juniper"} <= {name.split(" ")[0] for name in placed}
    tracks = Run.objects.filter(public_id__in=row.placed).values_list("track", flat=True)
    assert set(tracks) == {"dependencies"}
