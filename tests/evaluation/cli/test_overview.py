"""The first thing that people see of the command: what there is, where to begin, what they may have meant."""

from __future__ import annotations

import re

import pytest

from evaluation.cli import COMMANDS, main

Output = pytest.CaptureFixture[str]


def test_without_arguments_every_command_is_listed_once_before_the_first_steps(capsys: Output) -> None:
    assert main([]) == 2
    listed, steps = capsys.readouterr().err.split("first steps:")
    assert sorted(re.findall(r"^  ([a-z][a-z-]+) ", listed, re.MULTILINE)) == sorted(COMMANDS)
    assert re.findall(r"^  python -m evaluation (\w+) ", steps, re.MULTILINE) == [
        *("login", "tasks", "inputs", "check", "submit"),
    ]
    with pytest.raises(SystemExit) as done:
        main(["--help"])
    assert done.value.code == 0 and "first steps:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("typed", "suggestion"),
    [("submti", " Did you mean submit?"), ("result", " Did you mean results?"), ("rank", "")],
)
def test_a_misspelt_command_is_one_line_with_what_was_meant(
    capsys: Output, typed: str, suggestion: str
) -> None:
    assert main([typed, "outputs"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"There is no command {typed!r}.{suggestion} `" in line and line.endswith("lists all commands.")


def test_help_of_an_act_names_the_whole_command(capsys: Output) -> None:
    with pytest.raises(SystemExit):
        main(["task", "check", "--help"])
    assert capsys.readouterr().out.startswith("usage: python -m evaluation task check [-h]")
