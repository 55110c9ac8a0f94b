"""What ended a run: every limit by its name and value, and whose error it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from airlock.engine.cgroup import Reading
from airlock.engine.holder import Look, Space
from airlock.engine.judge import Ending, judge
from airlock.engine.limits import Limits
from airlock.engine.outcome import LimitReached

LIMITS = Limits(memory_bytes=1000, processes=10, output_bytes=500, log_bytes=50, wall_seconds=60)
ROOM = Space(used_bytes=0, used_files=0, free_bytes=500, free_files=100)
FULL = Space(used_bytes=500, used_files=1, free_bytes=0, free_files=99)
NO_FILES = Space(used_bytes=0, used_files=100, free_bytes=500, free_files=0)
KILLED = 128 + 9
ENDED = Ending(
    status=0,
    wall_seconds=1.0,
    stop_requested=False,
    engine_says_out_of_memory=False,
    reading=Reading(cpu_seconds=0.5, peak_bytes=100),
    look=Look(output=ROOM, tmp=ROOM, names=()),
    log_bytes=0,
    log_tail=b"",
)


@pytest.mark.parametrize(
    ("changes", "name", "value"),
    [
        ({"status": KILLED, "reading": Reading(out_of_memory=True)}, "memory", 1000),
        ({"status": 7, "reading": Reading(out_of_memory=True)}, "memory", 1000),
        ({"status": 0, "reading": Reading(out_of_memory=True)}, "memory", 1000),
        ({"status": 0, "engine_says_out_of_memory": True}, "memory", 1000),
        ({"status": KILLED, "engine_says_out_of_memory": True}, "memory", 1000),
        ({"status": KILLED, "reading": Reading(peak_bytes=990)}, "memory", 1000),
        ({"status": 1, "reading": Reading(peak_processes=10)}, "processes", 10),
        ({"status": 1, "look": Look(output=FULL, tmp=ROOM, names=())}, "output bytes", 500),
        ({"status": 128 + 25}, "output bytes", 500),
        ({"status": 1, "look": Look(output=NO_FILES, tmp=ROOM, names=())}, "output files", 10_000),
        ({"status": 1, "look": Look(output=ROOM, tmp=FULL, names=())}, "tmp bytes", 2**30),
        ({"status": KILLED, "log_bytes": 51}, "log bytes", 50),
        ({"status": 0, "log_bytes": 51}, "log bytes", 50),
        ({"status": KILLED, "wall_seconds": 60.1}, "wall time", 60),
        ({"status": KILLED, "wall_seconds": 60.1, "stop_requested": True}, "wall time", 60),
    ],
)
def test_a_limit_is_named_with_its_value_and_is_an_error_of_the_system(
    changes: dict[str, object], name: str, value: int
) -> None:
    outcome = judge(replace(ENDED, **changes), LIMITS)  # type: ignore[arg-type]
    assert outcome.limit == LimitReached(name=name, value=value)  # type: ignore[arg-type]
    assert outcome.error_of == "system"
    assert f"{value:,}" in outcome.sentence


def test_a_system_that_ended_well_has_reached_no_limit_although_everything_is_full() -> None:
    look = Look(output=FULL, tmp=FULL, names=())
    outcome = judge(replace(ENDED, look=look, reading=Reading(peak_bytes=1000)), LIMITS)
    assert (outcome.exit_code, outcome.limit, outcome.error_of) == (0, None, None)


def test_a_system_whose_process_was_killed_is_not_said_to_have_ended_by_a_limit() -> None:
    outcome = judge(replace(ENDED, reading=Reading(out_of_memory=True)), LIMITS)
    assert (outcome.exit_code, outcome.signal) == (0, None)
    assert "ended with exit code 0, but one of its processes was killed" in outcome.sentence


def test_a_stopped_run_is_nobodys_error() -> None:
    outcome = judge(replace(ENDED, status=KILLED, stop_requested=True), LIMITS)
    assert (outcome.stopped, outcome.signal, outcome.error_of) == (True, 9, None)
    assert outcome.sentence == "The run was stopped."


def test_a_system_that_ended_before_it_could_be_stopped_is_not_called_stopped() -> None:
    outcome = judge(replace(ENDED, status=3, stop_requested=True), LIMITS)
    assert (outcome.stopped, outcome.exit_code, outcome.error_of) == (False, 3, "system")


@pytest.mark.parametrize(
    ("status", "exit_code", "signal", "words"),
    [
        (1, 1, None, "exit code 1"),
        (255, 255, None, "exit code 255"),
        (139, None, 11, "signal 11 (SIGSEGV)"),
        (KILLED, None, 9, "signal 9 (SIGKILL)"),
    ],
)
def test_exit_codes_and_signals_are_told_apart(
    status: int, exit_code: int | None, signal: int | None, words: str
) -> None:
    outcome = judge(replace(ENDED, status=status), LIMITS)
    assert (outcome.exit_code, outcome.signal, outcome.error_of) == (exit_code, signal, "system")
    assert words in outcome.sentence
