"""The overhead of the pipeline over the bare library call, and how it scales: ratios within one run.

Run with `make bench`. The bare call reads gold and the system's file, compares them, signs the result and
counts by unit, file after file in one process: what a worker does for a score, without database, broker,
seals and leases. Seconds by the clock suffer from whatever else the machine does; those of the processor are
the workers' own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass

from benchmarks._real_site import DATA, TEAMS, RealSite, processor_seconds, real_site
from tests.machinery.site import ROOT, start_worker

BARE = """
import sys, time, evaluation
from evaluation.scoring.counts import tallies

def score(pair):
    gold, system = pair
    try:
        comparison = evaluation.compare(gold, system, "conll17")
    except evaluation.InvalidFile:
        return
    tallies(comparison), comparison.gold.sha256, evaluation.counts_by_unit(comparison).to_bytes()

pairs = [line.split("\\t") for line in sys.stdin.read().splitlines()]
score(pairs[0])
clock, processor = time.perf_counter(), time.process_time()
for pair in pairs:
    score(pair)
print(time.perf_counter() - clock, time.process_time() - processor)
"""
AGAIN = """
import sys, django
django.setup()
from django.db import transaction
from sharedtask.core import clock
from sharedtask.submissions.models import Score
from sharedtask.submissions.score_batches import enqueue_scores
from sharedtask.work import dispatch, targets

scores = Score.objects.filter(**({"file__run": sys.argv[1]} if len(sys.argv) > 1 else {}))
dispatch.send(targets.SCORE_FILES, ["nobody"])
with transaction.atomic():
    at = clock.database_now()
    scores.update(state="waiting", claimed_by="", claimed_until=None, dispatched_at=at, finished_at=None)
    enqueue_scores(scores.select_related("file").order_by("file__run", "pk"))
"""
SPAN = "SELECT extract(epoch FROM max(finished_at) - min(dispatched_at))::float FROM submissions_score {}"


@dataclass(frozen=True, kw_only=True)
class Took:
    seconds: float
    """Wall-clock time from dispatching to the last stored score."""
    processor: float

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s ({self.processor:.2f} s of the processor)"

    def above(self, bare: Took, *, workers: int = 1) -> str:
        clock = 100 * (self.seconds * workers / bare.seconds - 1)
        return f"{clock:+.0f}% ({100 * (self.processor / bare.processor - 1):+.0f}% of the processor)"


def main() -> None:
    if not DATA.is_dir():
        print("NOT MEASURED: ../shared/data is not next to this checkout.")
        return
    with real_site() as site:
        one_run(site)
        campaign(site)


def bare(site: RealSite, teams: int) -> Took:
    """The best of three, for the same files."""
    lines = [f"{files[0]}\t{files[1 + team]}" for team in range(teams) for files in site.outputs.values()]
    took = [
        subprocess.run(
            [sys.executable, "-c", BARE],
            cwd=ROOT, input="\n".join(lines), capture_output=True, text=True, check=True,
        ).stdout.split()
        for _ in range(3)
    ]  # fmt: skip
    return min(
        (Took(seconds=float(clock), processor=float(processor)) for clock, processor in took),
        key=lambda timing: timing.seconds,
    )


class Workers:
    def __init__(self, site: RealSite, number: int, **environment: str) -> None:
        self._site = site
        worker_environment = site.environment | environment
        self._running = [
            start_worker(worker_environment, site.folder / f"worker-{number}-{place}.log", "--concurrency=1")
            for place in range(number)
        ]

    def score_again(self, run: str = "") -> Took:
        """All scores, or those of one run."""
        before = self._processor_seconds()
        where = [run] if run else []
        subprocess.run(
            [sys.executable, "-c", AGAIN, *where], cwd=ROOT, env=self._site.environment, check=True
        )
        self._site.wait_until_none("SELECT count(*) FROM submissions_score WHERE state = 'waiting'")
        processor = self._processor_seconds() - before
        of_run = f"WHERE file_id IN (SELECT id FROM submissions_runfile WHERE run_id = {run})" if run else ""
        ((seconds,),) = self._site.query(SPAN.format(of_run))
        # Standings are requested as well, but not measured here.
        self._site.wait_until_none("SELECT count(*) FROM competition_standingrequest")
        return Took(seconds=float(str(seconds)), processor=processor)

    def _processor_seconds(self) -> float:
        return sum(processor_seconds(worker.process.pid) for worker in self._running)

    def stop(self) -> None:
        for worker in self._running:
            worker.stop()


def one_run(site: RealSite) -> None:
    ((run,),) = site.query("SELECT min(id) FROM submissions_run")
    library = bare(site, 1)
    print(f"One run of {len(site.outputs)} real test sets, one worker; bare library {library}:")
    for what, kept_bytes in (("gold opened for each file", 0), ("gold in the worker's memory", 2**26)):
        workers = Workers(site, 1, GOLD_MEMORY_BYTES=str(kept_bytes))
        try:
            # The first time warms up connections and code, as for the bare call.
            took = min(
                [workers.score_again(str(run)) for _ in range(4)][1:], key=lambda timing: timing.seconds
            )
        finally:
            workers.stop()
        print(f"  {what}: {took}, {took.above(library)}")


def campaign(site: RealSite) -> None:
    library = bare(site, TEAMS)
    print(f"{TEAMS} runs of {len(site.outputs)} test sets; bare library {library}:")
    alone = None
    for number in range(1, (os.cpu_count() or 1) + 1):
        workers = Workers(site, number)
        try:
            first, second = workers.score_again(), workers.score_again()
        finally:
            workers.stop()
        took = min(first, second, key=lambda timing: timing.seconds)
        alone = alone or took
        print(
            f"  {number} workers, fresh: {first}, {first.above(library, workers=number)}\n"
            f"  {number} workers: {took}, {took.above(library, workers=number)}; "
            f"{alone.seconds / took.seconds:.2f} times as fast as one, "
            f"{alone.seconds / took.seconds / number:.2f} a worker"
        )


if __name__ == "__main__":
    began = time.perf_counter()
    main()
    print(f"measured in {time.perf_counter() - began:.0f} s")
