"""What the pipeline costs, how it scales, and how the deadline hour feels: ratios within one run.

Run with `make bench`. It starts PostgreSQL, Redis, gunicorn and workers of its own, as the tests do, and
uses the real test sets of `../shared/data/conll17` where they are. `MINUTES=10` plays the deadline hour at
full length.
"""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import evaluation  # noqa: E402
from serve import processes  # noqa: E402
from serve import redis as redis_program  # noqa: E402
from tests.machinery.postgres import Server  # noqa: E402
from tests.machinery.site import (  # noqa: E402
    Running,
    clean_environment,
    make_keys,
    manage,
    start_server,
    start_worker,
)
from tests.pipeline.people import upload  # noqa: E402

DATA = ROOT.parent / "shared" / "data" / "conll17"
TEAMS = ("Stanford", "C2L2", "IMS", "HIT-SCIR")
UPLOADS, READERS, PAUSE_SECONDS = 200, 300, 30.0
MINUTES = float(os.environ.get("MINUTES", "1"))
AGAIN = "UPDATE submissions_score SET state = 'waiting', claimed_by = '', claimed_until = NULL"


def main() -> None:
    if not DATA.is_dir():
        print("NOT MEASURED: ../shared/data is not beside this checkout.")
        return
    folder = Path(tempfile.mkdtemp(prefix="arboretum-", dir="/tmp"))
    try:
        files = unpacked(folder)
        with site(folder) as environment:
            sessions = prepare(folder, files, environment)
            web = start_server(environment, folder / "web.log")
            try:
                enter(web, sessions, files, environment, folder)
                cost_of_the_pipeline(environment, folder, files)
                speed_up(environment, folder)
                deadline_hour(web, environment, folder, sessions, files)
            finally:
                web.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def unpacked(folder: Path) -> dict[str, dict[str, Path]]:
    """For each test set its gold file and the output of some teams."""
    for archive in sorted(DATA.glob("*.tar.xz")):
        with tarfile.open(archive) as packed:
            packed.extractall(folder / "real", filter="data")
    found: dict[str, dict[str, Path]] = {}
    for treebank in sorted((folder / "real").iterdir()):
        systems = sorted((treebank / "system").iterdir())
        chosen = systems[:: max(1, len(systems) // len(TEAMS))][: len(TEAMS)]
        named = dict(zip(TEAMS, chosen, strict=True))
        found[treebank.name] = {"gold": treebank / "gold.conllu", **named}
    return found


@contextmanager
def site(folder: Path) -> Iterator[dict[str, str]]:
    database = Server(folder)
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


def prepare(folder: Path, files: dict[str, dict[str, Path]], environment: dict[str, str]) -> list[str]:
    (folder / "task" / "gold").mkdir(parents=True)
    for code, outputs in files.items():
        shutil.copy(outputs["gold"], folder / "task" / "gold" / f"{code}.conllu")
    told = {
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
            for code in files
        ],
    }
    (folder / "task" / "task.yaml").write_text(yaml.safe_dump(told), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "tests.pipeline.prepare", str(folder / "task"), "20"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return list(json.loads(done.stdout.splitlines()[-1]).values())


def enter(
    web: Running,
    sessions: list[str],
    files: dict[str, dict[str, Path]],
    environment: dict[str, str],
    folder: Path,
) -> None:
    """One run of each chosen team, checked and scored once."""
    for team, session in zip(TEAMS, sessions, strict=False):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for code, outputs in files.items():
                archive.write(outputs[team], f"{code}.conllu")
        status, _, text = upload(web.url, session, buffer.getvalue(), timeout=120)
        assert status == 302, text
    worker = start_worker(environment, folder / "worker-first.log")
    try:
        wait(environment, "SELECT count(*) FROM submissions_run WHERE state <> 'scored'")
    finally:
        worker.stop()


def wait(environment: dict[str, str], query: str) -> None:
    with psycopg.connect(environment["DATABASE_URL"], autocommit=True) as database:
        while database.execute(query).fetchone() != (0,):
            time.sleep(0.02)


def rescored(environment: dict[str, str], folder: Path, *, workers: int, where: str = "") -> float:
    """Seconds from handing out all scores to the last one written, with workers that are ready."""
    running = [
        start_worker(environment, folder / f"worker-{workers}-{number}.log", "--concurrency=1")
        for number in range(workers)
    ]
    try:
        with psycopg.connect(environment["DATABASE_URL"], autocommit=True) as database:
            database.execute(f"{AGAIN} {where}")
        began = time.perf_counter()
        manage("sweep", "--now", environment=environment)
        # Starting the command takes longer than the sweep; its time is no part of the pipeline.
        starting = time.perf_counter() - began
        wait(environment, "SELECT count(*) FROM submissions_score WHERE state = 'waiting'")
        with psycopg.connect(environment["DATABASE_URL"]) as database:
            span = database.execute(
                "SELECT extract(epoch FROM max(finished_at) - min(handed_out_at))::float"
                f" FROM submissions_score {where}"
            ).fetchone()
        assert span is not None and starting > 0
        return float(span[0])
    finally:
        for one in running:
            one.stop()


def cost_of_the_pipeline(
    environment: dict[str, str], folder: Path, files: dict[str, dict[str, Path]]
) -> None:
    """One worker scores the 16 files of one run; the library scores the same files in one process."""
    where = "WHERE file_id IN (SELECT id FROM submissions_runfile WHERE run_id = 1 AND state = 'valid')"
    script = f"""
import time, evaluation
pairs = {[(str(one["gold"]), str(one[TEAMS[0]])) for one in files.values()]!r}
began = time.perf_counter()
for gold, system in pairs:
    try:
        evaluation.score(gold, system, profile="conll17")
    except evaluation.InvalidFile:
        pass
print(time.perf_counter() - began)
"""
    bare = min(
        float(subprocess.check_output([sys.executable, "-c", script], cwd=ROOT, text=True)) for _ in range(3)
    )
    piped = min(rescored(environment, folder, workers=1, where=where) for _ in range(2))
    print(
        f"16 real test sets: library {bare:.2f} s, pipeline {piped:.2f} s, "
        f"{100 * (piped / bare - 1):.0f} % more"
    )


def speed_up(environment: dict[str, str], folder: Path) -> None:
    alone = rescored(environment, folder, workers=1)
    for workers in range(2, (os.cpu_count() or 1) + 1):
        together = rescored(environment, folder, workers=workers)
        print(
            f"Re-scoring with {workers} workers: {alone / together:.2f} times as fast as with one "
            f"({alone:.1f} s), {alone / together / workers:.2f} a worker"
        )


def deadline_hour(
    web: Running,
    environment: dict[str, str],
    folder: Path,
    sessions: list[str],
    files: dict[str, dict[str, Path]],
) -> None:
    """Uploads at the rate of 200 in ten minutes, readers that reload, and a phase that closes in between."""
    page = f"{web.url}/tasks/drill/leaderboard/"
    idle = sorted(fetched(page) for _ in range(60))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for code in list(files)[:3]:
            archive.write(files[code][TEAMS[1]], f"{code}.conllu")
    seconds = 60 * MINUTES
    closes_at = datetime.now(UTC) + timedelta(seconds=seconds * 0.8)
    with psycopg.connect(environment["DATABASE_URL"], autocommit=True) as database:
        database.execute("UPDATE competition_phase SET closes_at = %s", [closes_at])
    end, chance, lock = time.monotonic() + seconds, random.Random(2017), threading.Lock()
    answers: list[tuple[datetime, datetime, int, str]] = []
    latencies: list[float] = []

    def read() -> None:
        pause = random.Random(threading.get_ident())
        time.sleep(pause.random() * PAUSE_SECONDS)
        while time.monotonic() < end:
            took = fetched(page)
            with lock:
                latencies.append(took)
            time.sleep(PAUSE_SECONDS * (0.5 + pause.random()))

    def send(session: str, delay: float) -> None:
        time.sleep(delay)
        began = datetime.now(UTC)
        status, _, text = upload(web.url, session, buffer.getvalue(), timeout=120)
        with lock:
            answers.append((began, datetime.now(UTC), status, text))

    number = round(UPLOADS * MINUTES / 10)
    threads = [threading.Thread(target=read, daemon=True) for _ in range(READERS)]
    threads += [
        threading.Thread(
            target=send, args=(sessions[n % len(sessions)], chance.random() * seconds), daemon=True
        )
        for n in range(number)
    ]
    worker = start_worker(environment, folder / "worker-hour.log", "--concurrency=1")
    try:
        for thread in threads:
            thread.start()
        for thread in threads[READERS:]:
            thread.join()
        time.sleep(max(0.0, end - time.monotonic()))
    finally:
        worker.stop()
    # What was on its way at the closing second may go either way; all others may not.
    early = [status for began, ended, status, _ in answers if ended < closes_at]
    late = [(status, text) for began, ended, status, text in answers if began >= closes_at]
    assert set(early) <= {302}, early
    assert all(
        status == 400 and ("has closed" in text or "does not take uploads" in text) for status, text in late
    )
    busy = sorted(latencies)
    p95 = busy[int(0.95 * len(busy))], idle[int(0.95 * len(idle))]
    print(
        f"Deadline hour ({MINUTES:g} of 10 minutes): {len(early)} uploads before closing received, "
        f"{len(late)} later ones refused with the reason; {len(busy)} pages read by {READERS} people, "
        f"95th percentile {1000 * p95[0]:.0f} ms, {p95[0] / p95[1]:.1f} times that of an idle server"
    )


def fetched(page: str) -> float:
    began = time.perf_counter()
    with urllib.request.urlopen(page, timeout=60) as answer:
        answer.read()
    return time.perf_counter() - began


if __name__ == "__main__":
    assert evaluation.VERSION
    main()
