"""The sweep: dispatch work without a living owner again, and remove stray files.

In: a time. Out: `SweepReport`. It may run at any time and any number of times. The rules for all kinds of
work are in `work/sweep.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sharedtask.accounts import device_login
from sharedtask.api import idempotency
from sharedtask.archive.models import Package
from sharedtask.competition.models import GoldReference, GoldVersion
from sharedtask.core import clock, storage
from sharedtask.operations.kinds import JOBS, KINDS
from sharedtask.scorers.models import ScorerVersion
from sharedtask.software.models import StoredImage
from sharedtask.standings import set_parts
from sharedtask.submissions.models import Run
from sharedtask.submissions.recount import recount_runs
from sharedtask.submissions.rescore import score_missing
from sharedtask.uploads.models import FOLDER
from sharedtask.uploads.remove import finish_received, remove_expired, without_upload
from sharedtask.work import sweep as work_sweep
from sharedtask.work.targets import Target

STRAY_AFTER = timedelta(hours=6)
"""Minimum age of a file without a row: longer than any upload takes."""


@dataclass(frozen=True, kw_only=True)
class SweepReport:
    dispatched: Mapping[Target, int]
    lost: int
    """Number of rows whose worker has died or stopped responding."""
    strays: int

    def dispatched_to(self, target: Target) -> int:
        return self.dispatched.get(target, 0)

    def __str__(self) -> str:
        sent = ", ".join(f"{number} to {target}" for target, number in self.dispatched.items() if number)
        return (
            f"Dispatched again: {sent or 'nothing'}; lost workers: {self.lost}; "
            f"stray files removed: {self.strays}."
        )

    def __bool__(self) -> bool:
        return bool(any(self.dispatched.values()) or self.lost or self.strays)


def sweep(
    *, at: datetime | None = None, patience: timedelta | None = None, strays: bool = True
) -> SweepReport:
    """With `patience` 0 it does not wait for messages that may be under way."""
    at = at or clock.database_now()
    score_missing(at=at)
    recount_runs(at=at)
    finish_received()
    results = {kind.target: work_sweep.sweep(kind, at=at, patience=patience) for kind in KINDS}
    results |= {job.target: work_sweep.sweep_job(job, at=at, patience=patience) for job in JOBS}
    return SweepReport(
        dispatched={target: result.dispatched for target, result in results.items()},
        lost=sum(result.lost for result in results.values()),
        strays=remove_strays(at=at) if strays else 0,
    )


def remove_strays(*, at: datetime) -> int:
    """Remove files of interrupted work and of expired uploads, and others whose row was never committed."""
    remove_expired(at=at)
    idempotency.remove_expired(at=at)
    device_login.remove_expired(at=at)
    strays = [entry.name for entry in storage.entries("incoming") if is_old(entry, at)]
    archives = {entry.name for entry in storage.entries("uploads") if is_old(entry, at)}
    known = set(Run.objects.filter(archive__in=archives).values_list("archive", flat=True))
    strays += sorted(archives - known)
    public = {entry.name for entry in storage.entries("public") if is_old(entry, at)}
    copies = GoldVersion.objects.filter(public_copy__in=public).values_list("public_copy", flat=True)
    references = GoldReference.objects.filter(public_copy__in=public).values_list("public_copy", flat=True)
    packages = Package.objects.filter(stored__in=public).values_list("stored", flat=True)
    strays += sorted(public - {*copies, *references, *packages})
    images = {entry.name for entry in storage.entries("images") if is_old(entry, at)}
    known = StoredImage.objects.names_in(images) | ScorerVersion.objects.names_in(images)
    strays += sorted(images - known)
    strays += set_parts.beyond_budget(storage.entries(set_parts.FOLDER))
    parts = [entry.name for entry in storage.entries(FOLDER) if is_old(entry, at)]
    strays += without_upload(parts)
    for name in strays:
        storage.remove(name)
    return len(strays)


def is_old(entry: storage.StoredEntry, at: datetime) -> bool:
    return entry.modified_at < at - STRAY_AFTER
