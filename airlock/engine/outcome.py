"""What is seen of a run while it is running, and what is known when it has ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO, Literal

State = Literal["running", "ended"]
Culprit = Literal["system", "platform"]
LimitName = Literal[
    "memory", "processes", "output bytes", "output files", "tmp bytes", "log bytes", "wall time"
]


@dataclass(frozen=True, kw_only=True)
class Observation:
    state: State
    wall_seconds: float
    seconds_left: float
    """Until the deadline, never negative."""
    cpu_seconds: float | None
    """None where neither the cgroup nor the engine can be read."""
    memory_bytes: int | None
    memory_limit: int
    output_bytes: int
    output_files: int
    """Files and directories in the output directory and below."""
    output_names: tuple[str, ...]
    """What lies directly in the output directory, at most 10,000 names, sorted. Hostile."""
    log_bytes: int
    log_tail: bytes
    """The last part of stdout and stderr, in the order in which they were written. Hostile."""


@dataclass(frozen=True, kw_only=True)
class LimitReached:
    name: LimitName
    value: int
    """Bytes, files, processes or seconds, according to the name."""

    def __str__(self) -> str:
        return f"{self.name} ({self.value:,})"


@dataclass(frozen=True, kw_only=True)
class Usage:
    wall_seconds: float
    cpu_seconds: float | None
    peak_memory_bytes: int | None
    output_bytes: int
    output_files: int
    log_bytes: int


@dataclass(frozen=True, kw_only=True)
class Outcome:
    exit_code: int | None
    """None if a signal ended the system."""
    signal: int | None
    limit: LimitReached | None
    """The limit that ended the run or one of its processes, or that a failed run had used up."""
    stopped: bool
    """Ended by `Running.stop`."""
    error_of: Culprit | None
    """Whose error it is; None if the system was stopped or nothing went wrong."""
    sentence: str
    """The same in words, without anything that the system printed."""
    usage: Usage
    log_tail: bytes


@dataclass(frozen=True, kw_only=True)
class OutputFile:
    name: str
    """Path below the output directory, safe to use as a name of a file: no `..`, no control characters."""
    size: int
    problem: str | None
    """Why it is not read: a link, a device, a pipe, an unusable name. Then `stream` is empty."""
    stream: BinaryIO
    """Readable until the next file is requested."""
