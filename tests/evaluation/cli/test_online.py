"""What the commands that talk to a site have in common: options, tables, colours, exit codes, completion."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

import pytest

from evaluation.cli import COMMANDS, main, parser
from evaluation.cli.online import paint, table
from evaluation.cli.progress import Progress
from evaluation.client.client import Client
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


def test_the_log_of_a_run_does_nothing_to_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is text of a team's software, and organisers read it."""
    log = "10%\r20%\r\n\x1b]0;owned\x07\tVögel\u202e\x9b2J\n"
    monkeypatch.setattr(Client, "log", lambda self, run: {"log": log})
    monkeypatch.setenv("ARBORETUM_SITE", "https://example.org")
    assert main(["logs", "abc"]) == 0
    assert capsys.readouterr().out == "10%\n20%\n\\u001b]0;owned\\u0007\tVögel\\u202e\\u009b2J\n"
    assert main(["logs", "abc", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"log": log}


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
        (404, "upload-unknown", 2),
        (422, "metric-unknown", 2),
        (500, "server-error", 5),
        (507, "disk-full", 5),
    ],
)
def test_every_problem_of_a_site_has_an_exit_code(status: int, id: str, code: int) -> None:
    error = of_problem(status, id, "A sentence.")
    assert (error.exit_code, error.id, error.status) == (code, id, status)
    assert error.message.startswith("A sentence.")


def test_what_is_not_found_is_looked_for_by_people_not_by_address() -> None:
    error = of_problem(404, "not-found", "There is nothing at this address.")
    assert (error.exit_code, error.id) == (2, "not-found")
    assert "`arboretum tasks` lists the tasks" in error.message and "address" not in error.message


def test_an_incomplete_grant_is_an_error_like_all_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARBORETUM_SITE", "https://example.org")
    assert main(["quota", "demo", "--team", "x", "--json"]) == 2
    output = capsys.readouterr()
    assert json.loads(output.out)["error"]["id"] == "grant-incomplete"
    assert output.err.startswith("arboretum: ") and output.err.endswith("[grant-incomplete]\n")


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress_is_for_terminals_only(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal, raising=False)
    with Progress("Checking") as progress:
        progress(1, 2)
    shown = capsys.readouterr().err
    assert ("Checking" in shown and "1/2" in shown and shown.endswith("\r\x1b[K")) is is_terminal
    assert bool(shown) is is_terminal


def test_a_missing_extra_is_named_with_the_address_of_the_site(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name="docker")

    monkeypatch.setattr("evaluation.cli.try_image.import_module", missing)
    monkeypatch.setenv("ARBORETUM_SITE", "https://example.org")
    assert main(["try-image", "image.tar", "inputs"]) == 2
    error = capsys.readouterr().err
    assert "airlock] @ https://example.org/download/arboretum-" in error and "[extra-missing]" in error
