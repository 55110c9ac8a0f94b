"""A large standing on a real site: a worker is killed in the middle, and its pages are opened afterwards.

    python benchmarks/_large_standing.py [SYSTEMS SETS REPLICATES [WORKERS]]

By default 200 systems, 300 test sets, 1,000 replicates and two workers. Counts are those of `growth.py`, with
few units per test set, because only the number of systems, sets and replicates matters here. Prints the
progress that organisers see, processor time and memory of the workers, and for the first leaderboard and the
first matrix of a new web process their time, their size and its memory.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import growth  # noqa: E402
from benchmarks._real_site import processor_seconds, servers  # noqa: E402
from benchmarks._two_workers import AGAIN, enter, write_task  # noqa: E402
from serve import processes  # noqa: E402
from tests.machinery.site import start_server  # noqa: E402
from tests.pipeline.workforce import Workforce, children_of  # noqa: E402

PAGES = {"leaderboard": "/tasks/growth/leaderboard/?phase=open", "matrix": "/tasks/growth/matrix/?phase=open"}
SIZES, WORKERS = (200, 300, 1000), 2
FEW_UNITS = (50, 70)
# The share of the parts after which a worker is killed.
KILLED_AFTER = 0.3
SECONDS_BETWEEN_LINES = 30.0


def main() -> None:
    given = [int(word) for word in sys.argv[1:5]]
    sizes, workers = tuple(given[:3]) or SIZES, (given[3:] or [WORKERS])[0]
    with tempfile.TemporaryDirectory(prefix="arboretum-", dir="/tmp") as name, servers(Path(name)) as known:
        folder, environment = Path(name), known | {"OPENBLAS_NUM_THREADS": "1"}
        write_task(folder / "task", sets=sizes[1], replicates=sizes[2])
        words = [sys.executable, __file__, "--enter", str(folder / "task"), str(sizes[0])]
        subprocess.run(words, cwd=ROOT, env=environment, check=True)
        print("entered", flush=True)
        compute(folder, environment, workers, sizes[1])
        for page, address in PAGES.items():
            open_first(page, address, environment, folder)


def compute(folder: Path, environment: dict[str, str], workers: int, sets: int) -> None:
    """From the request to the standing; prints what organisers see meanwhile."""
    key = folder / "site" / "keys" / "gold.private"
    # The files of the runs are made up, so that nothing else could be done with them.
    queues = "standings,sweep"
    force = Workforce(environment, folder / "workers", workers=workers, key=key, queues=queues)
    try:
        subprocess.run([sys.executable, "-c", AGAIN], cwd=ROOT, env=environment, check=True)
        begun, printed, killed, used, peaks = time.monotonic(), -SECONDS_BETWEEN_LINES, False, {}, {}
        for progress, failure, left in watched(environment["DATABASE_URL"]):
            for pid in force.processes():
                used[pid], peaks[pid] = alone(pid, used.get(pid, 0.0)), max(peaks.get(pid, 0), peak(pid))
            seconds = time.monotonic() - begun
            if seconds - printed >= SECONDS_BETWEEN_LINES:
                printed = seconds
                print(f"  {seconds:5.0f} s: {progress or 'no progress yet'}, {left} parts left", flush=True)
            if not killed and progress and left and left < (1 - KILLED_AFTER) * sets:
                killed = True
                processes.signal_group(force.workers[0], signal.SIGKILL)
                force.workers[0].wait()
                force.workers[0] = force.start()
                print(f"  {seconds:5.0f} s: a worker was killed and another one started", flush=True)
            if failure:
                raise AssertionError(failure)
        print(
            f"done after {time.monotonic() - begun:.0f} s; processors {sum(used.values()):.0f} s; "
            f"the largest process had {max(peaks.values())} MB"
        )
        with psycopg.connect(environment["DATABASE_URL"], autocommit=True) as database:
            for table in ("standings_figures", "standings_pairfigures"):
                size = database.execute("SELECT pg_total_relation_size(%s)", [table]).fetchone()
                print(f"  {table}: {(size or [0])[0] / 1e6:.0f} MB")
        kept = sum(path.stat().st_size for path in (folder / "site").rglob("progress/*"))
        print(f"  kept figures and sums: {kept / 1e6:,.0f} MB", flush=True)
    finally:
        force.stop()


def watched(address: str) -> Iterator[tuple[str, object, int]]:
    """Progress, failure and parts that are left, until nothing is requested any more."""
    with psycopg.connect(address, autocommit=True) as database:
        while True:
            row = database.execute("SELECT progress, failure FROM competition_standingrequest").fetchone()
            if row is None:
                return
            left = database.execute("SELECT count(*) FROM standings_standingpart").fetchone()
            yield row[0], row[1], (left or [0])[0]
            time.sleep(0.5)


def open_first(page: str, address: str, environment: dict[str, str], folder: Path) -> None:
    """With a web process that has shown nothing else."""
    with web_process(environment, folder / f"{page}.log") as (url, pids):
        before, used, begun = peak(*pids), sum(map(processor_seconds, pids)), time.monotonic()
        with urllib.request.urlopen(url + address, timeout=600) as answer:
            size = len(answer.read())
        seconds, processor = time.monotonic() - begun, sum(map(processor_seconds, pids)) - used
        print(
            f"first {page}: {seconds:.2f} s, of the processor {processor:.2f} s, {size / 1e6:.1f} MB; "
            f"the process had {before} MB and has {peak(*pids)} MB"
        )


@contextmanager
def web_process(environment: dict[str, str], log: Path) -> Iterator[tuple[str, Sequence[int]]]:
    """Its address, and the process that answers."""
    web = start_server(environment, log, numbers=(1, 4))
    try:
        yield web.url, children_of(web.process.pid)
    finally:
        web.stop()


def alone(pid: int, otherwise: float) -> float:
    """Processor time without that of children."""
    try:
        return processor_seconds(pid) - sum(map(processor_seconds, children_of(pid)))
    except OSError:
        return otherwise


def peak(*pids: int) -> int:
    """The most memory that any of these processes has had, in megabytes."""
    most = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        except OSError:
            continue
        most = max([most, *(int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM"))])
    return most


if __name__ == "__main__":
    if sys.argv[1:2] == ["--enter"]:
        import os

        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sharedtask.settings.test")
        growth.LEAST_UNITS, growth.MOST_UNITS = FEW_UNITS
        enter(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
