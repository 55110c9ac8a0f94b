"""Tasks with every profile through the site: import, upload, check, scores, standings, all pages, the package."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.register import register
from tests.sharedtask.support.profiled import MINIATURES, Miniature

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]

PAGES = (
    "",
    "leaderboard/",
    "matrix/",
    "sets/",
    "sets/xx_one/",
    "sets/xx_one/sentences/",
    "systems/",
    "tables/",
    "upload/",
    "team/",
)


@pytest.fixture
def team(db: None) -> None:
    """The fixture `upload` takes a team of the small task, which is not needed here."""


def stand(mini: Miniature, folder: Path, member: User, upload: Callable[..., Run], work: Work) -> Task:
    task = mini.load(folder)
    for name, text in (("Ash", mini.gold), ("Birch", mini.wrong)):
        members = [member] if name == "Birch" else []
        team = register(task=task, name=name, members=members, confirmed=True)
        upload(mini.archive(text), team=team)
    work()
    return task


@pytest.mark.parametrize("mini", MINIATURES.values(), ids=MINIATURES)
def test_a_task_of_every_profile_has_scores_standings_and_pages(
    mini: Miniature, tmp_path: Path, member: User, upload: Callable[..., Run], work: Work, client: Client
) -> None:
    task = stand(mini, tmp_path / "task", member, upload, work)
    assert {run.state for run in task.runs.all()} == {"scored"}, Score.objects.values_list("failure")
    client.force_login(member)
    birch = task.runs.get(team__name="Birch")
    pages = [f"/tasks/{task.slug}/{page}" for page in PAGES]
    pages += [f"/runs/{birch.public_id}/", f"/tasks/{task.slug}/systems/{birch.system.public_id}/"]
    for address in pages:
        assert client.get(address).status_code == 200, address
