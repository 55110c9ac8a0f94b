"""All children, from their start until the server stops.

A child that ends by itself is started again after a pause that doubles each time; when it ends too often
in a short time something is broken that no restart mends, and the whole stops with a line that names it.
"""

import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from . import processes
from .preflight import Refusal

MOST_ENDS = 5
WITHIN_SECONDS = 120.0
GRACE_SECONDS = 15.0
LOOK_SECONDS = 0.25
COLOURS = {"redis": 31, "setup": 35, "web": 32, "worker": 34, "beat": 36}


@dataclass(kw_only=True)
class Child:
    name: str
    command: Sequence[str]
    keep: Sequence[int] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    """What this child alone is told, beside what all are told."""
    death_signal: int = signal.SIGKILL
    process: "subprocess.Popen[str] | None" = None
    ends: deque[float] = field(default_factory=lambda: deque(maxlen=MOST_ENDS))
    restart_at: float = 0.0


class Supervisor:
    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self.environment = dict(environment)
        self._folder = folder
        self._children: list[Child] = []
        self._stopping = threading.Event()
        self._printing = threading.Lock()
        self._signals = 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._signals += 1
        self._stopping.set()
        if self._signals > 1:
            # Whoever asks twice does not want to wait for a task to finish.
            for child in self._children:
                if child.process is not None:
                    processes.signal_group(child.process, signal.SIGKILL)

    def say(self, line: str, *, name: str = "serve") -> None:
        label = f"{name:<6}"
        if sys.stdout.isatty():
            label = f"\033[{COLOURS.get(name, 1)}m{label}\033[0m"
        with self._printing:
            try:
                print(f"{time.strftime('%H:%M:%S')} {label} | {line}", flush=True)
            except OSError:
                # The terminal is gone; the children still have to be stopped in order.
                self._stopping.set()

    def run_to_end(self, name: str, command: Sequence[str]) -> list[str]:
        """Run one step of the preparation and give back what it printed, which is shown when it fails."""
        child = Child(name=name, command=command)
        lines: list[str] = []
        reader = self._start(child, lines)
        assert child.process is not None
        while child.process.poll() is None:
            if self._stopping.wait(LOOK_SECONDS):
                processes.stop([child.process], grace_seconds=GRACE_SECONDS)
                raise Refusal("Stopped before it was ready.")
        reader.join()
        if child.process.returncode != 0:
            for line in lines:
                self.say(line, name=name)
            raise Refusal(f"This step failed, see above: {' '.join(command[1:])}")
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
        reader = threading.Thread(target=self._show, args=(child.name, child.process, lines), daemon=True)
        reader.start()
        return reader

    def _show(self, name: str, process: "subprocess.Popen[str]", lines: list[str] | None) -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                if lines is None:
                    self.say(line.rstrip(), name=name)
                else:
                    lines.append(line.rstrip())

    def wait(self, seconds: float) -> bool:
        """Look after the children for a while; true when the server has been told to stop."""
        end = time.monotonic() + seconds
        while not self._stopping.wait(min(LOOK_SECONDS, max(0.0, end - time.monotonic()))):
            for child in self._children:
                self._look_after(child)
            if time.monotonic() >= end:
                return False
        return True

    def _look_after(self, child: Child) -> None:
        now = time.monotonic()
        if child.process is None:
            if now >= child.restart_at:
                self._start(child)
            return
        code = child.process.poll()
        if code is None:
            return
        # What the child left behind in its group must not work beside its successor.
        processes.signal_group(child.process, signal.SIGKILL)
        child.process = None
        child.ends.append(now)
        if len(child.ends) == MOST_ENDS and now - child.ends[0] < WITHIN_SECONDS:
            raise Refusal(
                f"{child.name} ended {MOST_ENDS} times within two minutes (now with {code}); see above."
            )
        recent = sum(now - end < WITHIN_SECONDS for end in child.ends)
        pause = float(2 ** (recent - 1))
        child.restart_at = now + pause
        self.say(f"{child.name} ended with {code}, starting it again in {pause:.0f} s")

    def stop(self) -> None:
        """Stop the broker last: the others need it to finish what they are at."""
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
