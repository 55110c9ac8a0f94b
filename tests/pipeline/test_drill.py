"""The fault drill: runs go in while workers are killed, the broker is emptied, database and disk fail.

At the end every run that got a receipt is in its right final state, with exactly one score for each valid
file, equal to what the library gives without any pipeline, and nothing is claimed by the dead. `-s` shows
the figures.
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from serve import processes
from serve import redis as redis_program
from tests.machinery.postgres import Server
from tests.machinery.site import ROOT, clean_environment, make_keys, manage, start_server
from tests.pipeline import campaign, outcome
from tests.pipeline.people import Answers, upload_until_received
from tests.pipeline.small_disk import SmallDisk
from tests.pipeline.workforce import Workforce, children_of

pytestmark = pytest.mark.slow


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    disk = SmallDisk(tmp_path / "disk")
    yield disk
    disk.close()


class Broker:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.server = redis_program.configure(folder)
        self._start()

    def _start(self) -> None:
        self._process = processes.start(self.server.command)
        redis_program.wait_until_ready(self.server.url)

    def restart_empty(self) -> None:
        self.stop()
        shutil.rmtree(self._folder / "appendonlydir", ignore_errors=True)
        self._start()

    def stop(self) -> None:
        processes.stop([self._process], grace_seconds=5)


@dataclass(frozen=True)
class Event:
    seconds: float
    """From the first upload."""
    action: Callable[[], Any]
    after_refusal: bool = False
    """It ends a fault, and waits until an upload has met this fault, however slow the machine is."""


@dataclass
class Drill:
    """What happens when; `kill_every` and `kill_until` are in seconds as well."""

    events: list[Event]
    kill_every: float
    kill_until: float
    disk: SmallDisk | None = None


def run_drill(
    *,
    environment: dict[str, str],
    plan: campaign.Campaign,
    folder: Path,
    teams: int,
    runs_each: int,
    workers: int,
    drill: Drill,
    seconds: float,
    spread_seconds: float,
) -> tuple[dict[str, Any], outcome.Outcome, Answers, dict[str, dict[str, Any]]]:
    key = Path(environment["DATA_DIR"]) / "keys" / "gold.private"
    prepared = subprocess.run(
        [sys.executable, "-m", "tests.pipeline.prepare", str(plan.folder), str(teams)],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert prepared.returncode == 0, prepared.stderr
    sessions: dict[str, str] = json.loads(prepared.stdout.splitlines()[-1])
    uploads = {
        f"{team}/{number}": (session, *plan.archive(team, number))
        for team, session in sessions.items()
        for number in range(runs_each)
    }
    web = start_server(environment, folder / "web.log")
    workforce = Workforce(environment, folder / "workers", workers=workers, key=key)
    if drill.disk is not None:
        drill.disk.writers = lambda: [*children_of(web.process.pid), *workforce.processes()]
    answers = Answers()
    began = time.monotonic()
    end = began + seconds
    chance = random.Random(2017)

    def person(team: str) -> None:
        names = [name for name in uploads if name.startswith(f"{team}/")]
        pauses = random.Random(team)
        for name in names:
            time.sleep(pauses.random() * 2 * spread_seconds / runs_each)
            session, archive, _ = uploads[name]
            upload_until_received(web.url, session, name, archive, answers, until=end)

    people = [threading.Thread(target=person, args=(team,), daemon=True) for team in sessions]
    try:
        for thread in people:
            thread.start()
        waiting = sorted(drill.events, key=lambda event: event.seconds)
        refused_by_then: list[int] = [0]
        next_kill = drill.kill_every
        while any(thread.is_alive() for thread in people) or time.monotonic() - began < drill.kill_until:
            now = time.monotonic() - began
            if waiting and now >= waiting[0].seconds:
                refused = len(answers.refusals)
                if refused > refused_by_then[-1] or not waiting[0].after_refusal:
                    refused_by_then.append(refused)
                    waiting.pop(0).action()
            if next_kill <= now <= drill.kill_until:
                workforce.kill_one(chance)
                next_kill = now + drill.kill_every
            assert time.monotonic() < end, f"{len(answers.receipts)} receipts; {workforce.logs()[-5000:]}"
            time.sleep(0.1)
        assert not waiting, "the drill was over before everything had happened"
        result = outcome.read(environment)
        while (result.unfinished or result.claimed or result.requested) and time.monotonic() < end:
            time.sleep(0.5)
            result = outcome.read(environment)
        took = time.monotonic() - began
    finally:
        web.stop()
        workforce.stop()
    figures = {
        "uploads": len(uploads),
        "receipts": len(answers.receipts),
        "runs in the database": len(result.runs),
        "states": dict(Counter(result.runs.values())),
        "scores": sum(result.scores.values()),
        "answers without a receipt": dict(Counter(answers.refusals)),
        "of these from one event to the next": [b - a for a, b in pairwise(refused_by_then)],
        "workers killed": workforce.killed,
        "pool processes killed": workforce.killed_children,
        "work lost by its worker": result.losses,
        "failures of ours that were tried again": result.attempts,
        "seconds": round(took, 1),
    }
    expected = {
        answers.receipts[name]: plan.expected(files)
        for name, (_, _, files) in uploads.items()
        if name in answers.receipts
    }
    return figures, result, answers, expected


def check(
    result: outcome.Outcome, answers: Answers, expected: dict[str, dict[str, Any]], uploads: int
) -> None:
    assert len(answers.receipts) == uploads
    assert result.unfinished == 0
    assert result.claimed == 0, "something is claimed by the dead"
    assert set(result.runs.values()) == {"scored"}
    assert set(expected) <= set(result.runs), "a run with a receipt is lost"
    for run, files in expected.items():
        assert result.results[run] == files
    valid = {
        (run, code)
        for run, files in result.results.items()
        for code, file in files.items()
        if file not in ("missing", "invalid")
    }
    assert result.scores == Counter(dict.fromkeys(valid, 1))


def test_nothing_is_lost_while_everything_fails(
    tmp_path: Path, small_disk: SmallDisk, capsys: pytest.CaptureFixture[str]
) -> None:
    """60 runs of 16 files by 20 teams on PostgreSQL and Redis, with three workers."""
    short = Path(tempfile.mkdtemp(prefix="arboretum-", dir="/tmp"))
    # It is stopped as if it had crashed, and what it has acknowledged must be there afterwards.
    database = Server(short, durable=True)
    broker = Broker(short / "redis")
    try:
        url = database.start().create_database("drill")
        environment = clean_environment(
            "sharedtask.settings.test",
            {
                "DATA_DIR": str(small_disk.folder / "data"),
                "REDIS_URL": broker.server.url,
                "DATABASE_URL": url,
                "LEASE_SECONDS": "5",
                "SWEEP_SECONDS": "2",
            },
        )
        make_keys(environment)
        manage("migrate", "--verbosity=0", environment=environment)
        plan = campaign.build(tmp_path / "task", sets=16)

        drill = Drill(
            events=[
                Event(6, broker.restart_empty),
                Event(12, lambda: database.stop(signal.SIGQUIT)),
                Event(22, database.start, after_refusal=True),
                Event(24, small_disk.fill),
                Event(34, small_disk.empty, after_refusal=True),
            ],
            kill_every=3,
            kill_until=38,
            disk=small_disk,
        )
        figures, result, answers, expected = run_drill(
            environment=environment,
            plan=plan,
            folder=tmp_path,
            teams=20,
            runs_each=3,
            workers=3,
            drill=drill,
            seconds=420,
            spread_seconds=24,
        )
    finally:
        broker.stop()
        database.stop()
        shutil.rmtree(short, ignore_errors=True)
    figures["disk"] = small_disk.said
    with capsys.disabled():
        print("\nFault drill:", json.dumps(figures, indent=2))
    check(result, answers, expected, 60)
    assert len(result.table["rows"]) == 20
    assert figures["workers killed"] + figures["pool processes killed"] >= 5
    _, _, without_database, _, without_disk = figures["of these from one event to the next"]
    assert without_database > 0 and without_disk > 0, "a fault that nobody met"
    assert not [body for body in answers.bodies if "Traceback" in body]


def test_the_embedded_profile_survives_the_same(
    tmp_path: Path, embedded: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Smaller: 16 runs of 8 files by 8 teams on SQLite; nobody ever reads "database is locked"."""
    environment = {**embedded, "LEASE_SECONDS": "5", "SWEEP_SECONDS": "2"}
    plan = campaign.build(tmp_path / "task", sets=8)
    figures, result, answers, expected = run_drill(
        environment=environment,
        plan=plan,
        folder=tmp_path,
        teams=8,
        runs_each=2,
        workers=2,
        drill=Drill(events=[Event(5, lambda: flush(embedded["REDIS_URL"]))], kill_every=4, kill_until=13),
        seconds=300,
        spread_seconds=8,
    )
    with capsys.disabled():
        print("\nFault drill, embedded:", json.dumps(figures, indent=2))
    check(result, answers, expected, 16)
    assert answers.refusals == []
    logs = "".join(file.read_text() for file in [tmp_path / "web.log", *(tmp_path / "workers").glob("*.log")])
    assert "database is locked" not in logs


def flush(url: str) -> None:
    with Redis.from_url(url) as broker:
        broker.flushall()
