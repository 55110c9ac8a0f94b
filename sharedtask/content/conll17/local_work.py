"""The work of the workers, done in this command by several processes with the private key.

In: waiting rows in the database. Out: finished rows. Work is claimed as a worker does it, so that workers of
a running site may take part; this command waits for the work that they have claimed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import QuerySet

from sharedtask.analysis.analyse import AnalyseGold
from sharedtask.archive.package.make import PackNow
from sharedtask.competition.models import StandingRequest
from sharedtask.competition.prepare_gold import prepare_gold
from sharedtask.content.conll17.task import PUBLISHED
from sharedtask.standings.recompute import ComputeStandings, recompute_phase
from sharedtask.submissions.alarms import inspection
from sharedtask.submissions.kinds import CheckRun, ScoreFiles
from sharedtask.work import dispatch
from sharedtask.work.dispatch import Key
from sharedtask.work.kinds import WorkKind
from sharedtask.work.lease import unclaimed
from sharedtask.work.perform import perform

Item = TypeVar("Item")
Report = Callable[[str], None]
MAX_IDLE_SECONDS = 300


class WorkerTimeout(Exception):
    """A worker of this site has claimed some of the work and is not finishing it."""


def process_all(
    label: str,
    work: Callable[[Item], None],
    *,
    ready: Callable[[], Sequence[Item]],
    left: Callable[[], bool],
    pool: Executor | None,
    report: Report,
) -> None:
    """Process what is ready until nothing is left. Work claimed by a worker that dies becomes ready again."""
    deadline = time.monotonic() + MAX_IDLE_SECONDS
    while left():
        if items := ready():
            report_progress(label, pool.map(work, items) if pool else map(work, items), len(items), report)
            deadline = time.monotonic() + MAX_IDLE_SECONDS
        elif time.monotonic() > deadline:
            raise WorkerTimeout(f"{label}: a worker has claimed part of the work and is not finishing it.")
        else:
            time.sleep(0.5)


def report_progress(label: str, done: Iterable[None], total: int, report: Report) -> None:
    for number, _ in enumerate(done, start=1):
        if number % 50 == 0 or number == total:
            report(f"{label}: {number} of {total}")


def process(kind: WorkKind[Any], keys: Sequence[Key]) -> None:
    with dispatch.no_messages():
        perform(kind, keys)


def check_run(key: Key) -> None:
    process(CheckRun(), [key])


def score_batch(keys: Sequence[Key]) -> None:
    process(ScoreFiles(), keys)


def inspect_run(public_id: str) -> None:
    with dispatch.no_messages():
        inspection.inspect_run(public_id)


def prepare(version_id: int) -> None:
    with dispatch.no_messages():
        prepare_gold(version_id)


def analyse(version_id: int) -> None:
    process(AnalyseGold(), [version_id])


def pack(publication_id: int) -> None:
    process(PackNow(), [publication_id])


class ComputeAsPublished(ComputeStandings):
    """Computes at once instead of waiting for further changes, and with the date of publication."""

    def ready(self, at: datetime) -> QuerySet[StandingRequest]:
        return self.waiting().filter(unclaimed(at))

    def process(self, row: StandingRequest) -> None:
        recompute_phase(row, at=PUBLISHED, split=False)


def compute_standings(phase_id: int) -> None:
    process(ComputeAsPublished(), [phase_id])
