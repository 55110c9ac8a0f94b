"""Supervise all children until the server stops.

A child that exits is restarted after a pause that doubles each time. If it exits too often in a short time,
the server stops with an error message that names it.
"""

import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from . import processes
from .output import Output, is_logged, is_problem
from .preflight import Refusal

MAX_EXITS = 5
WITHIN_SECONDS = 120.0
GRACE_SECONDS = 15.0
POLL_SECONDS = 0.25


@dataclass(kw_only=True)
class Child:
    name: str
    command: Sequence[str]
    keep: Sequence[int] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables for this child, in addition to those for all."""
    death_signal: int = signal.SIGKILL
    process: "subprocess.Popen[str] | None" = None
    exits: deque[float] = field(default_factory=lambda: deque(maxlen=MAX_EXITS))
    restart_at: float = 0.0


class Supervisor:
    def __init__(self, environment: Mapping[str, str], folder: Path, output: Output) -> None:
        self.environment = dict(environment)
        self._folder = folder
        self.output = output
        self._children: list[Child] = []
        self._stopping = threading.Event()
        self._signals = 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._signals += 1
        self._stopping.set()
        if self._signals > 1:
            # On a second signal, do not wait for running tasks.
            for child in self._children:
                if child.process is not None:
                    processes.signal_group(child.process, signal.SIGKILL)

    def say(self, line: str, *, name: str = "serve", to_terminal: bool = True) -> None:
        """A line for the log and, if `to_terminal`, for the terminal."""
        try:
            self.output.write(line, name=name, to_terminal=to_terminal)
        except OSError:
            # The terminal is closed; the children still have to be stopped in order.
            self._stopping.set()

    def run_to_end(self, name: str, command: Sequence[str]) -> list[str]:
        """Run one step of the setup and return what it prints, which is shown if the step fails.

        What it logs is treated like the log lines of the other children.
        """
        child = Child(name=name, command=command)
        lines: list[str] = []
        reader = self._start(child, lines)
        assert child.process is not None
        while child.process.poll() is None:
            if self._stopping.wait(POLL_SECONDS):
                processes.stop([child.process], grace_seconds=GRACE_SECONDS)
                raise Refusal("Stopped before it was ready.")
        reader.join()
        if child.process.returncode != 0:
            for line in lines:
                self.say(line, name=name)
            raise Refusal(f"This step failed (see above): {' '.join(command[1:])}")
        return lines

    def add(self, child: Child) -> None:
        self._children.append(child)
        self._start(child)

    def _start(self, child: Child, lines: list[str] | None = None) -> threading.Thread:
        child.process = processes.start(
            child.command,
            environment=self.environment | dict(child.environment),
            folder=self._folder,
            output=subprocess.PIPE,
            keep=child.keep,
            death_signal=child.death_signal,
        )
        reader = threading.Thread(
            target=self._forward_output, args=(child.name, child.process, lines), daemon=True
        )
        reader.start()
        return reader

    def _forward_output(self, name: str, process: "subprocess.Popen[str]", lines: list[str] | None) -> None:
        assert process.stdout is not None
        to_terminal = False
        with process.stdout:
            for line in process.stdout:
                to_terminal = is_problem(line, previous=to_terminal)
                if lines is None or to_terminal or is_logged(line):
                    self.say(line.rstrip(), name=name, to_terminal=to_terminal)
                else:
                    lines.append(line.rstrip())

    def wait(self, seconds: float) -> bool:
        """Supervise the children for some time; true if the server has been told to stop."""
        end = time.monotonic() + seconds
        while not self._stopping.wait(min(POLL_SECONDS, max(0.0, end - time.monotonic()))):
            for child in self._children:
                self._check(child)
            if time.monotonic() >= end:
                return False
        return True

    def _check(self, child: Child) -> None:
        now = time.monotonic()
        if child.process is None:
            if now >= child.restart_at:
                self._start(child)
            return
        code = child.process.poll()
        if code is None:
            return
        # Remaining processes of its group must not run next to its successor.
        processes.signal_group(child.process, signal.SIGKILL)
        child.process = None
        child.exits.append(now)
        if len(child.exits) == MAX_EXITS and now - child.exits[0] < WITHIN_SECONDS:
            raise Refusal(
                f"{child.name} exited {MAX_EXITS} times within two minutes (last status {code}); "
                f"see {self.output.log}."
            )
        recent = sum(now - exit_time < WITHIN_SECONDS for exit_time in child.exits)
        pause = float(2 ** (recent - 1))
        child.restart_at = now + pause
        self.say(f"{child.name} exited with status {code}, restarting in {pause:.0f} s")

    def stop(self) -> None:
        """Stop the broker last: the others need it to finish their work."""
        self._stopping.set()
        for is_broker in (False, True):
            processes.stop(
                [
                    child.process
                    for child in self._children
                    if child.process is not None and (child.name == "redis") is is_broker
                ],
                grace_seconds=GRACE_SECONDS,
            )
