"""The sweep of one kind of work: rows that lost their worker are freed, waiting rows get a message again.

In: a kind and the time. Out: the number of rows that were freed and sent. It may run at any time and any
number of times: sending twice is harmless, because work is claimed.

A row without a message gets one at once. A row whose message was sent and that nobody has claimed gets
another one when the queue is empty, because then the message was lost; in a long queue it may still wait.
`LONGEST_WAIT` is for messages that were lost while the queue is never empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from sharedtask.work import dispatch
from sharedtask.work.kinds import Job, LeasedRow, WorkKind
from sharedtask.work.losses import free_expired

LONGEST_WAIT = timedelta(minutes=15)


@dataclass(frozen=True, kw_only=True)
class SweepResult:
    lost: int
    """Rows whose worker has died or stopped responding."""
    dispatched: int
    """Messages for jobs, rows for kinds with a lease."""


def sweep(kind: WorkKind[LeasedRow], *, at: datetime, patience: timedelta | None = None) -> SweepResult:
    """With `patience` 0 for all rows that can be claimed, for example after the broker lost all messages."""
    kind.discover(at=at)
    lost = free_expired(kind, kind.waiting(), at=at)
    return SweepResult(lost=lost, dispatched=dispatch_waiting(kind, at=at, patience=patience))


def dispatch_waiting(kind: WorkKind[LeasedRow], *, at: datetime, patience: timedelta | None = None) -> int:
    with transaction.atomic():
        rows = mark_dispatched(kind, at=at, patience=kind.patience if patience is None else patience)
        for keys in kind.messages(rows):
            dispatch.enqueue(kind.target, *keys)
    return len(rows)


def mark_dispatched(kind: WorkKind[LeasedRow], *, at: datetime, patience: timedelta) -> Sequence[LeasedRow]:
    """Rows that need a message, now marked as having one, without those that are being claimed just now."""
    if patience and dispatch.messages_in(kind.target.queue):
        patience = max(patience, LONGEST_WAIT)
    due = Q(dispatched_at=None) | Q(dispatched_at__lte=at - patience)
    locked = kind.ready(at).filter(due).select_for_update(skip_locked=True, of=("self",))
    rows = list(kind.with_related(locked).order_by("pk"))
    if rows:
        type(rows[0])._default_manager.filter(pk__in=[row.pk for row in rows]).update(dispatched_at=at)
    return rows


def sweep_job(job: Job, *, at: datetime, patience: timedelta | None = None) -> SweepResult:
    """Only when the queue is empty: a job may be done twice, but should not make a long queue longer."""
    patience = job.patience if patience is None else patience
    if patience and dispatch.messages_in(job.target.queue):
        return SweepResult(lost=0, dispatched=0)
    keys = list(job.overdue(at, patience))
    for key in keys:
        dispatch.enqueue(job.target, key)
    return SweepResult(lost=0, dispatched=len(keys))
