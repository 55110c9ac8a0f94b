"""A running `make serve` (or `python -m serve`) as a person at the terminal would see it."""

import os
import queue
import re
import signal
import subprocess
import threading
import time
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path

from serve import processes

ADDRESS = re.compile(r"Arboretum is at +(http://\S+)")


class Serving:
    """Started in its own process group, so that Ctrl-C can be played by a signal to the group."""

    def __init__(self, command: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> None:
        self.process = processes.start(
            command,
            folder=folder,
            environment=environment,
            output=subprocess.PIPE,
            death_signal=signal.SIGTERM,
        )
        self.lines: list[str] = []
        self._news: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout:
            for line in self.process.stdout:
                self._news.put(line.rstrip())
        self._news.put(None)

    def wait_for(self, pattern: str, *, seconds: float) -> "re.Match[str]":
        """The first new line that matches; the whole output when none comes."""
        end = time.monotonic() + seconds
        while True:
            try:
                line = self._news.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                line = None
            if line is None:
                raise AssertionError(f"No line matched {pattern!r}:\n" + "\n".join(self.lines))
            self.lines.append(line)
            match = re.search(pattern, line)
            if match:
                return match

    def address(self, *, seconds: float) -> str:
        """Where it can be reached, once all that it has to say about itself is said."""
        result = self.wait_for(ADDRESS.pattern, seconds=seconds)[1]
        self.wait_for("Ctrl-C", seconds=60)
        return result

    def interrupt(self) -> int:
        """Ctrl-C: the terminal sends SIGINT to every process of the foreground group."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(120)

    def stop(self) -> None:
        """For the end of a test, whatever happened in it."""
        if self.process.poll() is None:
            processes.stop([self.process], grace_seconds=40)


def processes_of(folder: Path) -> dict[int, str]:
    """Every process that works in this data directory or has it in its environment or command, by id.

    Redis writes a title over its own command and environment, but it works in a folder below.
    """
    values = {}
    needle = str(folder).encode()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            command = (entry / "cmdline").read_bytes()
            places = command + (entry / "environ").read_bytes() + os.fsencode((entry / "cwd").readlink())
            if needle in places:
                values[int(entry.name)] = command.replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
    return values


def wait_until_gone(folder: Path, *, seconds: float) -> dict[int, str]:
    """What still runs there at the end of this time: nothing, if all is well."""
    end = time.monotonic() + seconds
    while (left := processes_of(folder)) and time.monotonic() < end:
        time.sleep(0.1)
    return left


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=20) as answer:
        assert answer.status == 200
        text: str = answer.read().decode()
        return text
