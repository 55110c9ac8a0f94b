"""The sweep: whatever waits without a living owner is sent again; what belongs to nobody is removed.

In: the clock. Out: `Swept`, what was sent and what was removed. It may run at any time and any number of
times. What holds for all kinds of work is in `work/sweep.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sharedtask.core import clock, storage
from sharedtask.operations.kinds import JOBS, KINDS
from sharedtask.submissions.models import Run
from sharedtask.submissions.rescore import score_missing
from sharedtask.work import sweep as work_sweep
from sharedtask.work.lease import LEASE
from sharedtask.work.targets import Target

PATIENCE = LEASE * 2 / 3
"""How long a message may be under way before another is sent after it."""
STRAY_AFTER = timedelta(hours=6)
"""How old a file without a row must be: older than any upload that may still be going on."""


@dataclass(frozen=True, kw_only=True)
class Swept:
    dispatched: Mapping[Target, int]
    lost: int
    """Pieces of work whose worker had died or stopped responding."""
    strays: int

    def of(self, target: Target) -> int:
        return self.dispatched.get(target, 0)

    def __str__(self) -> str:
        sent = ", ".join(f"{number} to {target}" for target, number in self.dispatched.items() if number)
        return (
            f"Sent again: {sent or 'nothing'}; {self.lost} lost by their workers; "
            f"removed {self.strays} stray files."
        )

    def __bool__(self) -> bool:
        return bool(any(self.dispatched.values()) or self.lost or self.strays)


def sweep(*, at: datetime | None = None, patience: timedelta | None = None, strays: bool = True) -> Swept:
    """`patience` 0: without waiting for messages that may be under way."""
    at = at or clock.database_now()
    score_missing(at=at)
    swept = {kind.target: work_sweep.sweep(kind, at=at, patience=patience) for kind in KINDS}
    for job in JOBS:
        job_patience = PATIENCE if patience is None else patience
        swept[job.target] = work_sweep.sweep_job(job, at=at, patience=job_patience)
    return Swept(
        dispatched={target: result.dispatched for target, result in swept.items()},
        lost=sum(result.lost for result in swept.values()),
        strays=remove_strays(at=at) if strays else 0,
    )


def remove_strays(*, at: datetime) -> int:
    """What an interrupted upload or unpacking left behind, and archives whose row was never committed."""
    strays = [entry.name for entry in storage.entries("incoming") if is_old(entry, at)]
    archives = {entry.name for entry in storage.entries("uploads") if is_old(entry, at)}
    known = set(Run.objects.filter(archive__in=archives).values_list("archive", flat=True))
    strays += sorted(archives - known)
    for name in strays:
        storage.remove(name)
    return len(strays)


def is_old(entry: storage.Entry, at: datetime) -> bool:
    return entry.modified_at < at - STRAY_AFTER
