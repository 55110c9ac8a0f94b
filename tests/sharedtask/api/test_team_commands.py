"""The command of a team that decides which run counts, in the process of the site."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.cli import main, online
from sharedtask.accounts.models import User
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.calling import Caller, secret_of
from tests.sharedtask.support.in_process import client_with

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_team_marks_a_run_as_official_and_removes_the_mark(
    member: User,
    blind_team: Team,
    dispatched: list[Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ARBORETUM_CONFIG", str(tmp_path / "config"))
    monkeypatch.setattr(online, "Client", lambda site: client_with(secret_of(member)))
    first, second = (
        Caller(member).upload("/tasks/blind/runs", good_archive(), key=key)["id"] for key in ("one", "two")
    )
    for chosen, other in ((first, second), (second, first)):
        assert main(["official", chosen]) == 0
        assert capsys.readouterr().out == f"{chosen} is the official run.\n"
        assert is_marked(chosen) and not is_marked(other), "one run counts"
    assert main(["official", second, "--remove", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["receipt"]["is_official"], (
        "the latest run counts without a mark"
    )
    assert not is_marked(first) and not is_marked(second)


def is_marked(run: str) -> bool:
    return Run.objects.filter(public_id=run, marked_official_at__isnull=False).exists()
