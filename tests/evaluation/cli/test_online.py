"""What the commands that talk to a site have in common: options, tables, colours, exit codes, completion."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from evaluation.cli import COMMANDS, parser
from evaluation.cli.online import paint, table
from evaluation.client.errors import of_problem

ROOT = Path(__file__).parents[3]
WITHOUT_JSON = {"report", "completion"}
"""They print a page and a script."""


def commands() -> dict[str, argparse.ArgumentParser]:
    (action,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    return dict(action.choices)


def options(command: argparse.ArgumentParser) -> set[str]:
    """Also those of its acts, which all have to have them."""
    acts = [a for a in command._actions if isinstance(a, argparse._SubParsersAction)]
    if acts:
        return set.intersection(*(options(act) for act in acts[0].choices.values()))
    return {option for action in command._actions for option in action.option_strings}


def test_every_command_prints_json() -> None:
    assert set(commands()) == set(COMMANDS)
    assert {name for name, command in commands().items() if "--json" not in options(command)} == WITHOUT_JSON


def test_the_documentation_names_every_command_and_exit_code() -> None:
    text = (ROOT / "docs" / "command.md").read_text(encoding="utf-8")
    missing = [
        name for name in COMMANDS if not re.search(rf"`(arboretum )?{name}\b|arboretum {name}\b", text)
    ]
    assert missing == []
    assert re.findall(r"^\| (\d+) \|", text, re.MULTILINE) == ["0", "1", "2", "3", "4", "5", "6", "130"]


def test_the_documentation_has_the_json_of_every_command() -> None:
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    headings = " ".join(re.findall(r"^## (.*)$", text, re.MULTILINE)).replace(",", " ").split()
    assert set(COMMANDS) - WITHOUT_JSON - set(headings) == set()


def test_numbers_are_aligned_to_the_right() -> None:
    rows = [{"team": "Alder", "las": 81.5, "rank": 1}, {"team": "Yew", "las": None, "rank": 12}]
    assert table(rows, {"rank": "rank", "team": "team", "las": "LAS"}).splitlines() == [
        "rank  team     LAS",
        "   1  Alder  81.50",
        "  12  Yew        –",
    ]


def test_times_are_printed_as_people_write_them() -> None:
    rows = [{"received": "2026-11-18T10:41:36.768Z", "note": "T10:41Z"}]
    lines = table(rows, {"received": "received", "note": "note"}).splitlines()
    assert lines[1] == "2026-11-18 10:41 UTC  T10:41Z"


def test_colours_are_for_terminals_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert paint("invalid", "bad") == "invalid"


@pytest.mark.parametrize(
    ("status", "id", "code"),
    [
        (401, "token-expired", 4),
        (403, "scope-missing", 4),
        (403, "phase-closed", 3),
        (409, "already-withdrawn", 3),
        (429, "too-many-requests", 3),
        (404, "not-found", 2),
        (422, "metric-unknown", 2),
        (500, "server-error", 5),
        (507, "disk-full", 5),
    ],
)
def test_every_problem_of_a_site_has_an_exit_code(status: int, id: str, code: int) -> None:
    error = of_problem(status, id, "A sentence.")
    assert (error.exit_code, error.id, error.status) == (code, id, status)
    assert error.message.startswith("A sentence.")
