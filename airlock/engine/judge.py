"""Decide what ended a run and whose error it is. In: everything that is known. Out: an `Outcome`."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from .cgroup import Reading
from .holder import Look
from .limits import Limits
from .outcome import LimitName, LimitReached, Outcome, Usage

NEARLY = 0.95
"""Who is killed with so much of its memory in use has run out of it, even where nobody says so."""


@dataclass(frozen=True, kw_only=True)
class Ending:
    status: int
    """As engines report it: the exit code, or 128 plus the signal."""
    wall_seconds: float
    stop_requested: bool
    engine_says_out_of_memory: bool
    reading: Reading
    look: Look
    log_bytes: int
    log_tail: bytes

    @property
    def signal(self) -> int | None:
        return self.status - 128 if 128 < self.status <= 128 + signal.SIGRTMAX else None

    @property
    def was_killed(self) -> bool:
        return self.signal == signal.SIGKILL


def judge(ending: Ending, limits: Limits) -> Outcome:
    limit = _limit(ending, limits)
    stopped = limit is None and ending.stop_requested and ending.was_killed
    failed = limit is not None or (ending.status != 0 and not stopped)
    return Outcome(
        exit_code=ending.status if ending.signal is None else None,
        signal=ending.signal,
        limit=limit,
        stopped=stopped,
        error_of="system" if failed else None,
        sentence=_sentence(ending, limit, stopped=stopped),
        usage=Usage(
            wall_seconds=ending.wall_seconds,
            cpu_seconds=ending.reading.cpu_seconds,
            peak_memory_bytes=ending.reading.peak_bytes,
            output_bytes=ending.look.output.used_bytes,
            output_files=ending.look.output.used_files,
            log_bytes=ending.log_bytes,
        ),
        log_tail=ending.log_tail,
    )


def _limit(ending: Ending, limits: Limits) -> LimitReached | None:
    values: dict[LimitName, int] = {
        "memory": limits.memory_bytes,
        "processes": limits.processes,
        "output bytes": limits.output_bytes,
        "output files": limits.output_files,
        "tmp bytes": limits.tmp_bytes,
        "log bytes": limits.log_bytes,
        "wall time": limits.wall_seconds,
    }
    name = _limit_name(ending, limits)
    return None if name is None else LimitReached(name=name, value=values[name])


def _limit_name(ending: Ending, limits: Limits) -> LimitName | None:
    """The first that applies.

    A system that ended well has reached none, unless it printed too much, or one of its processes was killed
    because memory ran out: its results may then be those of a fallback.
    """
    if ending.log_bytes > limits.log_bytes:
        return "log bytes"
    if ending.was_killed and ending.wall_seconds >= limits.wall_seconds:
        return "wall time"
    if ending.stop_requested and ending.was_killed:
        return None
    if ending.status == 0:
        return "memory" if _is_said_to_be_out_of_memory(ending) else None
    if _is_out_of_memory(ending, limits):
        return "memory"
    # A file system on disk has more space than the limit, by a small margin.
    output = ending.look.output
    if ending.signal == signal.SIGXFSZ or output.free_bytes == 0 or output.used_bytes >= limits.output_bytes:
        return "output bytes"
    if output.free_files == 0 or output.used_files >= limits.output_files:
        return "output files"
    if ending.look.tmp.free_bytes == 0:
        return "tmp bytes"
    return "processes" if (ending.reading.peak_processes or 0) >= limits.processes else None


def _is_out_of_memory(ending: Ending, limits: Limits) -> bool:
    peak = ending.reading.peak_bytes or 0
    suspicious = ending.was_killed and peak >= NEARLY * limits.memory_bytes
    return suspicious or _is_said_to_be_out_of_memory(ending)


def _is_said_to_be_out_of_memory(ending: Ending) -> bool:
    return ending.reading.out_of_memory or ending.engine_says_out_of_memory


def _sentence(ending: Ending, limit: LimitReached | None, *, stopped: bool) -> str:
    if limit is not None and limit.name == "memory" and ending.status == 0:
        return KILLED_SENTENCE.format(value=limit.value)
    if limit is not None:
        return LIMIT_SENTENCES[limit.name].format(value=limit.value)
    if stopped:
        return "The run was stopped."
    if ending.signal is not None:
        return f"The system was terminated by {_signal_name(ending.signal)}."
    if ending.status != 0:
        return f"The system failed with exit code {ending.status}."
    return "The system ended with exit code 0."


KILLED_SENTENCE = (
    "The system ended with exit code 0, but one of its processes was killed, because all of them needed more "
    "memory than their limit of {value:,} bytes."
)
LIMIT_SENTENCES: dict[LimitName, str] = {
    "memory": "The system needed more memory than its limit of {value:,} bytes.",
    "processes": "The system failed after it had reached its limit of {value:,} processes and threads.",
    "output bytes": "The system failed after it had reached its limit of {value:,} bytes of output.",
    "output files": "The system failed after it had reached its limit of {value:,} output files.",
    "tmp bytes": "The system failed after it had filled /tmp, which has {value:,} bytes.",
    "log bytes": "The system printed more than its limit of {value:,} bytes to stdout and stderr.",
    "wall time": "The system was still running at its time limit of {value:,} seconds.",
}


def _signal_name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"
