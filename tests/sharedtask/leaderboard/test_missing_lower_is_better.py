"""A missing file where lower figures are better: no page counts it as 0, which would be the best."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from html import unescape

import pytest
import yaml
from django.test import Client

from sharedtask.competition.models import Task
from sharedtask.folders.apply import apply
from sharedtask.folders.checks import read_folder
from sharedtask.folders.files import FilesInMemory
from sharedtask.submissions.models import Run
from sharedtask.teams.register import register
from tests.sharedtask.support.building import zip_of
from tests.sharedtask.support.profiled import BEES, SENTENCES, lines

pytestmark = pytest.mark.django_db(transaction=True)

GOLD = lines(*BEES, reader="nine") * SENTENCES
MERGED = GOLD.replace("\tADV\tADV\tADV\t", "\t_\t_\tVERB\t")
"""Adverbs are in the class of verbs, and all arcs are right."""
CODES = ("xx_one", "xx_two")


@pytest.fixture
def team(db: None) -> None:
    """The fixture `upload` takes a team of the small task, which is not needed here."""


@pytest.fixture
def task(upload: Callable[..., Run], work: Callable[[], None]) -> Task:
    """Ash has both files; Birch has none for the second test set, and counts there as 0 by Directed alone."""
    values = {
        "slug": "bits",
        "title": "Bits",
        "summary": "Two test sets.",
        "description": "A metric whose lower figures are better.",
        "profile": "pascal12",
        "main_metrics": ["VI", "Directed"],
        "missing": "zero",
        "replicates": 20,
        "test_sets": [
            {"code": code, "language": "Latin", "tag": "la", "public_gold": True} for code in CODES
        ],
        "phases": [
            {
                "code": "open",
                "kind": "development",
                "title": "Open phase",
                "feedback": "scores",
                "opens_at": "2026-01-01T00:00:00Z",
            }
        ],
    }
    files = {f"gold/{code}.conllu": GOLD.encode() for code in CODES}
    folder = FilesInMemory({"task.yaml": yaml.safe_dump(values).encode(), **files})
    task = apply(folder=read_folder(folder), by=None).task
    for name, codes in (("Ash", CODES), ("Birch", CODES[:1])):
        archive = zip_of({f"{code}.conllu": MERGED for code in codes})
        upload(archive, team=register(task=task, name=name, confirmed=True))
    work()
    return task


def text_of(client: Client, address: str) -> str:
    """Without markup, in one line."""
    response = client.get(address)
    assert response.status_code == 200, address
    return " ".join(unescape(re.sub("<[^>]*>", " ", response.content.decode())).split())


def test_no_page_counts_a_missing_file_as_the_best(task: Task, client: Client) -> None:
    birch = task.runs.select_related("system").get(team__name="Birch")
    files = text_of(client, f"/runs/{birch.public_id}/")
    bits = re.search(r"xx_one Latin scored (?:sentences )?([\d.]+) 100\.00", files)
    assert bits and float(bits[1]) > 0
    assert re.search(r"xx_two Latin missing – 0\.00", files)
    assert f"VI {bits[1]} Directed 50.00" in files
    assert "averages are over 1 of 2 test sets" in files

    matrix = client.get("/tasks/bits/matrix.csv?metric=VI").content.decode()
    (row,) = [line for line in matrix.splitlines() if "Birch" in line]
    assert row.split(",")[-2:] == [bits[1], "missing (not counted)"]

    ranking = text_of(client, "/tasks/bits/sets/xx_two/?metric=VI")
    assert "No valid output: Birch" in ranking
    assert "No valid output (counts as 0 in the averages): Birch" in text_of(
        client, "/tasks/bits/sets/xx_two/?metric=Directed"
    )
    system = text_of(client, f"/tasks/bits/systems/{birch.system.public_id}/?metric=VI")
    assert re.search(r"xx_two .{0,40}missing", system)
    assert not re.search(r"xx_two .{0,40}0\.00", system)


def test_a_figure_outside_its_interval_is_explained(
    task: Task, upload: Callable[..., Run], work: Callable[[], None], client: Client
) -> None:
    """Twenty classes for words of four tags: in replicates they seem to fit better than they do."""
    explained, board = "Some figures are outside their intervals", "/tasks/bits/leaderboard/?metric="
    assert explained not in text_of(client, f"{board}VI")
    draw = random.Random(1)
    noise = "".join(
        line
        if line == "\n"
        else "\t".join([*line.split("\t")[:5], f"c{draw.randrange(20)}", *line.split("\t")[6:]])
        for line in GOLD.splitlines(keepends=True)
    )
    archive = zip_of({f"{code}.conllu": noise for code in CODES})
    upload(archive, team=register(task=task, name="Cedar", confirmed=True))
    work()
    assert explained in text_of(client, f"{board}VI")
    assert explained not in text_of(client, f"{board}Directed")
