"""A site with the real test sets for the benchmarks, with its own PostgreSQL, Redis, gunicorn and workers.

In: `../shared/data/conll17`. Out: the environment of a site in which some teams have submitted one run each.
Servers are started as in the tests, but the database syncs to disk as in production.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import yaml

from serve import processes
from serve import redis as redis_program
from tests.machinery.postgres import Server
from tests.machinery.site import (
    ROOT,
    Running,
    clean_environment,
    make_keys,
    manage,
    start_server,
    start_worker,
)
from tests.pipeline.people import upload

DATA = ROOT.parent / "shared" / "data" / "conll17"
TEAMS = 8


@dataclass(frozen=True, kw_only=True)
class RealSite:
    folder: Path
    environment: dict[str, str]
    web: Running
    sessions: Sequence[str]
    """Signed-in sessions, one per team; there are more teams than runs."""
    outputs: dict[str, list[Path]]
    """For each test set, gold and then the files of the teams with a run."""

    def query(self, text: str) -> Sequence[Sequence[object]]:
        with psycopg.connect(self.environment["DATABASE_URL"], autocommit=True) as database:
            answer = database.execute(text)  # type: ignore[call-overload]
            return answer.fetchall() if answer.description else []

    def wait_until_none(self, query: str) -> None:
        with psycopg.connect(self.environment["DATABASE_URL"], autocommit=True) as database:
            while database.execute(query).fetchone() != (0,):  # type: ignore[call-overload]
                time.sleep(0.05)

    def archive(self, team: int, *, sets: int | None = None) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
            for code, outputs in list(self.outputs.items())[:sets]:
                packed.write(outputs[1 + team], f"{code}.conllu")
        return buffer.getvalue()


@contextmanager
def real_site() -> Iterator[RealSite]:
    folder = Path(tempfile.mkdtemp(prefix="arboretum-", dir="/tmp"))
    try:
        outputs = unpacked(folder)
        with servers(folder) as environment:
            sessions = prepare(folder, outputs, environment)
            web = start_server(environment, folder / "web.log")
            site = RealSite(
                folder=folder, environment=environment, web=web, sessions=sessions, outputs=outputs
            )
            try:
                enter(site)
                yield site
            finally:
                web.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def unpacked(folder: Path) -> dict[str, list[Path]]:
    for archive in sorted(DATA.glob("*.tar.xz")):
        with tarfile.open(archive) as packed:
            packed.extractall(folder / "real", filter="data")
    files = {}
    for treebank in sorted((folder / "real").iterdir()):
        systems = sorted((treebank / "system").iterdir())
        files[treebank.name] = [treebank / "gold.conllu", *systems[:: len(systems) // TEAMS][:TEAMS]]
    return files


@contextmanager
def servers(folder: Path) -> Iterator[dict[str, str]]:
    database = Server(folder, durable=True)
    broker = redis_program.configure(folder / "redis")
    redis = processes.start(broker.command)
    try:
        redis_program.wait_until_ready(broker.url)
        values = {
            "DATA_DIR": str(folder / "site"),
            "REDIS_URL": broker.url,
            "DATABASE_URL": database.start().create_database("bench"),
            "DATABASE_CONNECTION_SECONDS": "60",
            "LOG_LEVEL": "WARNING",
        }
        environment = clean_environment("sharedtask.settings.test", values)
        make_keys(environment)
        manage("migrate", "--verbosity=0", environment=environment)
        yield environment
    finally:
        processes.stop([redis], grace_seconds=5)
        database.stop()


def prepare(folder: Path, outputs: dict[str, list[Path]], environment: dict[str, str]) -> list[str]:
    (folder / "task" / "gold").mkdir(parents=True)
    for code, files in outputs.items():
        shutil.copy(files[0], folder / "task" / "gold" / f"{code}.conllu")
    task = {
        "slug": "drill",
        "title": "Bench",
        "summary": "The real test sets.",
        "description": "One paragraph.",
        "profile": "conll17",
        "missing": "zero",
        "baselines_ranked": True,
        "groups": ["all sets"],
        "phases": [
            {
                "code": "open",
                "kind": "development",
                "title": "Open phase",
                "feedback": "scores",
                "opens_at": datetime(2026, 1, 1, tzinfo=UTC),
            }
        ],
        "test_sets": [
            {"code": code, "language": code, "tag": code[:2], "groups": ["all sets"], "public_gold": True}
            for code in outputs
        ],
    }
    (folder / "task" / "task.yaml").write_text(yaml.safe_dump(task), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "tests.pipeline.prepare", str(folder / "task"), "20"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return list(json.loads(done.stdout.splitlines()[-1]).values())


def enter(site: RealSite) -> None:
    """One run per chosen team, checked, scored and compared once."""
    for team in range(TEAMS):
        status, _, text = upload(site.web.url, site.sessions[team], site.archive(team), timeout=120)
        assert status == 302, text
    worker = start_worker(site.environment, site.folder / "worker-first.log")
    try:
        site.wait_until_none("SELECT count(*) FROM submissions_run WHERE state <> 'scored'")
        site.wait_until_none("SELECT count(*) FROM competition_standingrequest")
        time.sleep(1)
    finally:
        worker.stop()


def processor_seconds(process: int) -> float:
    """Processor time of a process and its children so far, including finished ones."""
    parts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    own = sum(map(int, parts[11:15])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return own + sum(processor_seconds(int(child)) for child in children)
