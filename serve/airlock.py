"""Find a container engine for the software of teams, and start a worker that runs it there.

In: the supervisor. Out: an `EngineFound`, with a sentence for the terminal. Without an engine the site runs
all the same; its pages then say why software cannot be submitted.
"""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from .supervisor import Child, Supervisor

FOUND, NOT_FOUND = "engine:", "none:"
SINGLE_WORKER = ("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=INFO")


@dataclass(frozen=True, kw_only=True)
class EngineFound:
    sentence: str
    address: str = ""


def find_engine(supervisor: Supervisor) -> EngineFound:
    """The other processes learn whether there is one, and not where."""
    if os.environ.get("AIRLOCK") == "off":
        return switch_off(supervisor, "it was switched off with AIRLOCK=off")
    given = os.environ.get("AIRLOCK_ENGINE") or os.environ.get("DOCKER_HOST") or ""
    option = ["--engine", given] if given else []
    command = [sys.executable, "manage.py", "airlock", "find", *option]
    lines = supervisor.run_to_end("setup", command)
    for line in lines:
        if line.startswith(FOUND):
            address, _, description = line.removeprefix(FOUND).strip().partition(" ")
            supervisor.environment["AIRLOCK"] = "on"
            return EngineFound(sentence=f"Team software:  runs in {description}", address=address)
        if line.startswith(NOT_FOUND):
            reason = line.removeprefix(NOT_FOUND).strip().rstrip(".")
            return switch_off(supervisor, reason[:1].lower() + reason[1:])
    return switch_off(supervisor, "no container engine was found")


def switch_off(supervisor: Supervisor, reason: str) -> EngineFound:
    supervisor.environment["AIRLOCK"] = "off"
    supervisor.environment["AIRLOCK_REASON"] = reason
    return EngineFound(sentence=f"Team software:  off, because {reason}")


def worker(command: Sequence[str], engine: EngineFound) -> Child:
    """One container at a time; it has the engine and no key."""
    return Child(
        name="airlock",
        command=[*command, "worker", "--concurrency=1", "--hostname=airlock@%h", *SINGLE_WORKER],
        environment={"AIRLOCK_ENGINE": engine.address, "GOLD_PRIVATE_KEY_FILE": ""},
    )
