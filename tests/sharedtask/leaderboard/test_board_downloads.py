"""The leaderboard as a file: exactly what the page shows, and nothing that a program would run."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.test import Client

from evaluation.ranking.details import STATUSES
from evaluation.signature import narrow_signature
from sharedtask.competition.models import Phase, Task
from sharedtask.standings.models import Publication
from sharedtask.teams.models import Team
from tests.sharedtask.support.boards import SIGNATURE, keep, made_up, runs_of, stand

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("dispatched")]

NAMES = ("Ash", "Birch", "Cedar", "Dogwood")
FILE = "/tasks/tiny/leaderboard."


def rows_of_csv(client: Client, address: str = "") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get(f"{FILE}csv{address}").content.decode())))


def test_a_spreadsheet_has_the_rows_of_the_page_in_its_order(client: Client, phase: Phase) -> None:
    figures = made_up(runs_of(phase, NAMES), 2)
    keep(phase, figures)
    rows = rows_of_csv(client, "?metric=CLAS&sort=-team&q=r")
    assert [row["Team"] for row in rows] == ["Cedar", "Birch"]
    at = 1, 0, figures.metrics.index("CLAS")
    assert (rows[1]["CLAS"], rows[1]["95% low"], rows[1]["95% high"], rows[1]["Ranks"]) == (
        f"{100 * figures.f1[at]:.2f}",
        f"{100 * figures.low[at]:.2f}",
        f"{100 * figures.high[at]:.2f}",
        "2",
    )
    assert "CLAS big" in rows[1] and "Significantly better than next" not in rows[1]
    assert [row["Significantly better than next"] for row in rows_of_csv(client)] == [
        "yes",
        "no",
        "yes",
        "no",
    ]


@pytest.mark.parametrize("name", ["=1+1", "+SUM(A1)", "-2", "@cmd", "\t=1", "＝1+1", " ＠cmd"])
def test_no_name_becomes_a_formula(client: Client, phase: Phase, name: str) -> None:
    stand(phase, ("Ash", "Birch"))
    Team.objects.filter(name="Birch").update(name=name)
    assert rows_of_csv(client)[1]["Team"] == f"'{name}"


def test_latex_has_booktabs_lines_where_the_page_has_lines(client: Client, phase: Phase) -> None:
    stand(phase, ("Ash & Elm", "Birch_1", "Cedar", "Dogwood"))
    lines = client.get(f"{FILE}tex").content.decode().splitlines()
    assert lines[0].startswith("% arboretum|")
    body = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert [line.split(" &")[0] for line in body] == ["1", r"\midrule", "2", "3", r"\midrule", "4"]
    assert r"Ash \& Elm" in body[0] and r"Birch\_1" in body[2]
    assert not any(
        "midrule" in line for line in client.get(f"{FILE}tex?sort=team").content.decode().splitlines()[12:]
    )


def test_markdown_has_the_table_and_the_signature(client: Client, phase: Phase) -> None:
    stand(phase, ("Ash|Elm", "Birch"))
    text = client.get(f"{FILE}md?scope=lang:xx").content.decode()
    assert "macro-average over 2 test sets in Ixish" in text
    assert "| 1 | Ash\\|Elm |" in text and "Signature: `arboretum|" in text


def test_json_has_unrounded_figures_and_where_they_come_from(client: Client, phase: Phase) -> None:
    figures = made_up(runs_of(phase, NAMES), 4)
    keep(phase, figures)
    document = json.loads(client.get(f"{FILE}json?scope=small").content)
    las = figures.metrics.index("LAS")
    assert (document["metric"], document["scope"], document["test_sets"]) == (
        "LAS",
        "small",
        ["xx_01", "xx_03"],
    )
    first = document["systems"][0]
    assert first["figures"]["LAS"]["f1"] == figures.f1[0, figures.scopes.index("small"), las]
    assert (first["team"], first["rank"], first["rank_range"]) == ("Ash", 1, [1, 1])
    assert document["signature"] == narrow_signature(
        SIGNATURE, gold="0123", metric="LAS", scope="small", codes=["xx_01", "xx_03"]
    )
    assert document["gold_versions"]["xx_00"] == 1
    everything = json.loads(client.get(f"{FILE}json").content)["systems"][0]
    assert everything["groups"]["big"]["f1"] == figures.f1[0, figures.scopes.index("big"), las]


@pytest.mark.parametrize(
    ("policy", "consequence", "column", "cells"),
    [
        ("zero", "counted as 0", "Files not scored (counted as 0)", ["0", "1", "0", "0"]),
        ("exclude", "not counted", "Over test sets", ["2 of 2", "1 of 2", "2 of 2", "2 of 2"]),
    ],
)
def test_files_say_what_a_missing_output_counts_as(
    client: Client, phase: Phase, policy: str, consequence: str, column: str, cells: list[str]
) -> None:
    figures = made_up(runs_of(phase, NAMES), 2)
    figures.set_status[1, 0] = STATUSES.index("missing")
    keep(phase, figures, missing=policy)
    assert [row[column] for row in rows_of_csv(client)] == cells
    document = json.loads(client.get(f"{FILE}json").content)
    assert document["files_not_scored_are"] == consequence
    counted = [system["averaged_over"] for system in document["systems"]]
    assert counted == ([2, 2, 2, 2] if policy == "zero" else [2, 1, 2, 2])
    board = client.get(f"{FILE.removesuffix('.')}/").content.decode()
    assert ("over 1 of 2 test sets" in board) == (policy == "exclude")


def test_a_file_is_named_for_what_is_in_it_and_sent_once(client: Client, phase: Phase) -> None:
    stand(phase, NAMES)
    first = client.get(f"{FILE}csv?scope=lang:xx")
    assert first["Content-Disposition"] == 'attachment; filename="tiny-open-open-las-lang-xx.csv"'
    again = client.get(f"{FILE}csv?scope=lang:xx", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = client.get(f"{FILE}csv", headers={"If-None-Match": first["ETag"]})
    assert other.status_code == 200
    assert client.get(f"{FILE}exe").status_code == 404


def test_what_is_not_published_is_in_no_file(client: Client, blind_task: Task) -> None:
    phase = blind_task.phases.get()
    standing = stand(phase, NAMES, ranking="official")
    for ending in ("csv", "json", "tex", "md"):
        assert client.get(f"/tasks/blind/leaderboard.{ending}").status_code == 404
    publication = Publication.objects.create(task=blind_task)
    publication.standings.add(standing)
    Task.objects.update(results_published_at=publication.at)
    for ending in ("csv", "json", "tex", "md"):
        assert b"Dogwood" in client.get(f"/tasks/blind/leaderboard.{ending}").content


def test_pseudonyms_hold_in_files_too(client: Client, phase: Phase) -> None:
    stand(phase, NAMES)
    Task.objects.update(pseudonymous=True)
    Team.objects.filter(name="Ash").update(pseudonym="Team Quiet")
    for ending in ("csv", "json", "tex", "md"):
        text = client.get(f"{FILE}{ending}").content
        assert b"Team Quiet" in text and b"Ash" not in text
