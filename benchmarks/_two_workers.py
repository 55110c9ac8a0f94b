"""A large standing computed by one worker and by two: seconds by the clock, in turns, with a real site.

    python benchmarks/_two_workers.py [SYSTEMS SETS REPLICATES [TURNS]]

By default 100 systems, 150 test sets and 1,000 replicates. Counts are those of `growth.py`; database, broker
and workers are real, and nothing is kept from one turn to the next. Two workers need a processor each that
nobody else uses. Their processor time is printed too: it hardly depends on how many there are.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks._real_site import processor_seconds, servers  # noqa: E402
from tests.machinery.site import start_worker  # noqa: E402

GOLD = "1\tTrees\ttree\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
AGAIN = """
import sys, django
django.setup()
from datetime import timedelta
from sharedtask.competition.models import Phase, StandingRequest
from sharedtask.core import clock, storage
from sharedtask.standings.models import Standing
from sharedtask.work import dispatch, targets

Standing.objects.all().delete()
for entry in storage.entries("progress"):
    storage.remove(entry.name)
phase = Phase.objects.get()
before = clock.database_now() - timedelta(days=1)
StandingRequest.objects.update_or_create(phase=phase, defaults={"since": before, "changed_at": before})
dispatch.send(targets.COMPUTE_STANDINGS, [phase.pk])
"""


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:4]] or [100, 150, 1000]
    turns = int(sys.argv[4]) if len(sys.argv) > 4 else 2
    with tempfile.TemporaryDirectory(prefix="arboretum-", dir="/tmp") as name, servers(Path(name)) as known:
        folder, environment = Path(name), known | {"OPENBLAS_NUM_THREADS": "1"}
        write_task(folder / "task", sets=sizes[1], replicates=sizes[2])
        words = [sys.executable, __file__, "--enter", str(folder / "task"), str(sizes[0])]
        subprocess.run(words, cwd=ROOT, env=environment, check=True)
        seconds: dict[int, list[float]] = {1: [], 2: []}
        for turn in range(turns):
            for workers in (1, 2):
                took, processor = compute(folder, environment, workers, turn)
                seconds[workers].append(took)
                print(
                    f"{workers} worker{'s' * (workers > 1)}: {took:.1f} s, of processors {processor:.1f} s",
                    flush=True,
                )
    ratio = min(seconds[1]) / min(seconds[2])
    print(f"{sizes[0]} × {sizes[1]} × {sizes[2]:,}: two workers {ratio:.2f} × one   target: 1.6 ×")


def compute(folder: Path, environment: dict[str, str], workers: int, turn: int) -> tuple[float, float]:
    log = folder / f"worker-{workers}-{turn}.log"
    worker = start_worker(environment, log, f"--concurrency={workers}")
    try:
        subprocess.run([sys.executable, "-c", AGAIN], cwd=ROOT, env=environment, check=True)
        begun, used = time.monotonic(), processor_seconds(worker.process.pid)
        with psycopg.connect(environment["DATABASE_URL"], autocommit=True) as database:
            while database.execute("SELECT count(*) FROM competition_standingrequest").fetchone() != (0,):
                time.sleep(0.05)
        return time.monotonic() - begun, processor_seconds(worker.process.pid) - used
    finally:
        worker.stop()


def write_task(folder: Path, *, sets: int, replicates: int) -> None:
    from benchmarks.growth import PROFILE, codes_of

    (folder / "gold").mkdir(parents=True)
    for code in codes_of(sets):
        (folder / "gold" / f"{code}.conllu").write_text(GOLD, encoding="utf-8")
    now = datetime(2026, 1, 1, tzinfo=UTC)
    task = {
        "slug": "growth",
        "title": "Growth",
        "summary": "A large field.",
        "description": "One paragraph.",
        "profile": PROFILE,
        "replicates": replicates,
        "phases": [
            {"code": "open", "kind": "development", "title": "Open", "feedback": "scores", "opens_at": now}
        ],
        "test_sets": [
            {"code": code, "language": tag, "tag": tag, "public_gold": True}
            for code in codes_of(sets)
            if (tag := language_tag(int(code[1:4])))
        ],
    }
    (folder / "task.yaml").write_text(yaml.safe_dump(task), encoding="utf-8")


def language_tag(number: int) -> str:
    """One of the tags that no language has: `qaa` is reserved for local use, and so are those after it."""
    return "q" + chr(ord("a") + number // 26) + chr(ord("a") + number % 26)


def enter(folder: Path, systems: int) -> None:
    """One scored run of each system, with the counts of the field; in a process of the site."""
    import django

    django.setup()

    from django.utils import timezone

    from benchmarks.growth import field
    from sharedtask.competition.models import StandingRequest
    from sharedtask.folders.load_task import load_task
    from sharedtask.submissions import unit_counts
    from sharedtask.submissions.models import Run, RunFile, Score
    from sharedtask.teams.register import register

    task = load_task(folder)
    phase = task.phases.get()
    test_sets = list(task.test_sets.select_related("gold_in_force"))
    results = field(systems, len(test_sets))
    for name in results.systems:
        team = register(task=task, name=name, confirmed=True)
        run = Run.objects.create(
            task=task, phase=phase, team=team, system=team.primary_system, number=1, filename="run.zip",
            archive="uploads/none", sha256="0" * 64, state="scored", received_at=timezone.now(),
            checked_at=timezone.now(),
        )  # fmt: skip
        files = RunFile.objects.bulk_create(
            RunFile(run=run, test_set=test_set, state="valid") for test_set in test_sets
        )
        scores = []
        for file in files:
            tallies = results.tallies(name, file.test_set.code)
            counts = {
                metric: {part: getattr(tally, part) for part in ("gold", "system", "correct")}
                | {"aligned": tally.aligned or 0}
                for metric, tally in tallies.items()
            }
            score = Score(file=file, gold=file.test_set.gold_in_force, state="scored", counts=counts)
            score.units = unit_counts.name_of(score)
            scores.append(score)
        Score.objects.bulk_create(scores)
        unit_counts.store((score, results.outcome(name, score.file.test_set.code).counts) for score in scores)
    StandingRequest.objects.all().delete()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--enter"]:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sharedtask.settings.test")
        enter(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
