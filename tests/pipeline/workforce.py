"""Several workers and the clock that asks for sweeps; a drill kills them and they are started again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from serve import processes
from tests.machinery.site import ROOT


class Workforce:
    """Call it from one thread, the one that started the test: children die with the thread that forked."""

    def __init__(
        self, environment: Mapping[str, str], folder: Path, *, workers: int, key: Path, queues: str = ""
    ) -> None:
        """Workers take from all queues unless some are named."""
        self._queues = [f"--queues={queues}"] if queues else []
        self._environment = {**environment, "GOLD_PRIVATE_KEY_FILE": str(key)}
        self._folder = folder
        folder.mkdir(exist_ok=True)
        self._key = key
        self._number = 0
        self.killed = 0
        self.killed_children = 0
        self.workers = [self.start() for _ in range(workers)]
        self.beat = self._run("beat", "beat", "--pidfile=", "--schedule", str(folder / "schedule"))

    def _run(self, name: str, *arguments: str) -> subprocess.Popen[str]:
        with (self._folder / f"{name}.log").open("w") as output:
            return processes.start(
                [sys.executable, "-W", "ignore", "-m", "celery", "-A", "workers.app", *arguments]
                + ["--loglevel=INFO"],
                environment=self._environment,
                folder=ROOT,
                output=output,
            )

    def start(self) -> subprocess.Popen[str]:
        self._number += 1
        name = f"worker{self._number}"
        options = ["--concurrency=1", "--without-gossip", "--without-mingle", f"--hostname={name}@%h"]
        return self._run(name, "worker", *options, *self._queues)

    def kill_one(self, chance: random.Random) -> None:
        """The whole worker, or only the process of it that is at the work."""
        place = chance.randrange(len(self.workers))
        victim = self.workers[place]
        children = children_of(victim.pid)
        if children and chance.random() < 0.4:
            os.kill(chance.choice(children), signal.SIGKILL)
            self.killed_children += 1
            return
        processes.signal_group(victim, signal.SIGKILL)
        victim.wait()
        self.killed += 1
        self.workers[place] = self.start()

    def processes(self) -> list[int]:
        """Of all workers, with the processes of their pools."""
        return [pid for worker in self.workers for pid in (worker.pid, *children_of(worker.pid))]

    def stop(self) -> None:
        processes.stop([*self.workers, self.beat], grace_seconds=5)

    def logs(self) -> str:
        return "\n".join(path.read_text(errors="replace") for path in sorted(self._folder.glob("*.log")))


def children_of(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in listed.read_text().split()] if listed.exists() else []
