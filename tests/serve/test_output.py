"""What `make serve` shows on the terminal, and what it writes to its log."""

import os
import sys
from contextlib import closing
from pathlib import Path

import pytest

from serve.output import Output, is_problem
from serve.supervisor import Supervisor

PRINTED = [
    "[2026-05-01 10:00:00 +0000] [17] [INFO] Listening at: fd://5",
    "INFO    sharedtask.work.perform: done in 0.1 seconds",
    "ERROR   celery.app.trace: a task failed",
    "Traceback (most recent call last):",
    '  File "score.py", line 1, in <module>',
    "ValueError: INFO is not the level of this line",
    "INFO    sharedtask.work.perform: done in 0.2 seconds",
    "continued",
    "WARNING django.request: Not Found: /nowhere",
    "[2026-05-01 10:00:01 +0000] [17] [CRITICAL] WORKER TIMEOUT",
]


def test_only_warnings_and_errors_are_problems() -> None:
    problems, previous = [], False
    for line in PRINTED:
        previous = is_problem(line, previous=previous)
        problems += [line] if previous else []
    assert problems == PRINTED[2:6] + PRINTED[8:]


def test_a_process_that_fails_before_it_logs_is_seen() -> None:
    assert is_problem("Traceback (most recent call last):", previous=False)


def test_everything_is_in_the_log_and_what_matters_on_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "serve.log"
    log.write_text("of the previous start")
    with closing(Output(log, verbose=False)) as output:
        output.write("quiet", name="web", to_terminal=False)
        output.write("loud", name="web", to_terminal=True)
    printed = capsys.readouterr().out
    assert "loud" in printed and "quiet" not in printed
    assert [line.partition(" | ")[2] for line in log.read_text().splitlines()] == ["quiet", "loud"]
    assert (tmp_path / "serve.log.1").read_text() == "of the previous start"


def test_verbose_shows_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(Output(tmp_path / "serve.log", verbose=True)) as output:
        output.write("quiet", name="web", to_terminal=False)
    assert "quiet" in capsys.readouterr().out


def test_the_log_lines_of_the_setup_are_in_the_log_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)  # The test process keeps its own handlers.
    lines = ["INFO    sharedtask.work: done", "Accounts:", "  ada", "WARNING sharedtask.work: slow"]
    log = tmp_path / "serve.log"
    with closing(Output(log, verbose=False)) as output:
        supervisor = Supervisor(os.environ, tmp_path, output)
        returned = supervisor.run_to_end("setup", [sys.executable, "-c", f"print({chr(10).join(lines)!r})"])
    assert returned == ["Accounts:", "  ada"]
    printed = capsys.readouterr().out
    assert "slow" in printed and "done" not in printed
    assert "sharedtask.work: done" in log.read_text()
