"""What a worker does with a message: claim the rows it names, renew their leases, do the work.

In: a kind of work and keys. Out: how much was done. Failures are recorded and retried after a pause; after
the last attempt the work is given up. If the database is down, nothing is recorded, and the lease expires;
what it refuses while it is up is a failure like any other.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, InterfaceError, connection
from django.db.models import F

from sharedtask.core import clock, logs
from sharedtask.work.claim import claim
from sharedtask.work.dispatch import Key
from sharedtask.work.failure import Failure
from sharedtask.work.heartbeat import keep_leases
from sharedtask.work.kinds import LeasedRow, WorkKind
from sharedtask.work.lease import paused, this_worker

log = logging.getLogger(__name__)


@dataclass
class AttemptOutcome:
    succeeded: bool = False


def perform(kind: WorkKind[LeasedRow], keys: Sequence[Key], *, at: datetime | None = None) -> int:
    """`at` replaces the present moment in tests."""
    kind.create_rows(keys)
    done, claimed = 0, False
    while rows := claim(kind, keys, at=at):
        claimed = True
        with keep_leases(kind, rows):
            done += kind.process_claimed(rows, lambda *rows: attempt(kind, *rows, at=at))
        if kind.rows_per_claim is None:
            break
    if not claimed:
        kind.not_claimed(keys, at=at or clock.database_now())
    return done


@contextmanager
def attempt(
    kind: WorkKind[LeasedRow], *rows: LeasedRow, at: datetime | None = None
) -> Iterator[AttemptOutcome]:
    """A context for the work of a row, or of several that succeed or fail together."""
    began = time.monotonic()
    outcome = AttemptOutcome()
    fields = kind.log_fields(rows[0]) if len(rows) == 1 else {}
    with logs.about(stage=kind.stage, **fields):
        try:
            yield outcome
            outcome.succeeded = True
            log.info("done in %.3f seconds", time.monotonic() - began)
        except Exception as error:
            if isinstance(error, DatabaseError | InterfaceError) and not database_answers():
                # Nothing can be recorded now. The lease expires and the sweep sends another message.
                log.warning("the database is down; the sweep will send the work again")
                raise
            for row in rows:
                fail(kind, row, error, seconds=time.monotonic() - began, at=at)


def database_answers() -> bool:
    """Whether an error was a refusal of the database, of a value that is too large for example, no outage."""
    if connection.in_atomic_block:
        return False
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (DatabaseError, InterfaceError):
        return False
    return True


def fail(
    kind: WorkKind[LeasedRow], row: LeasedRow, error: Exception, *, seconds: float, at: datetime | None
) -> None:
    failure = Failure(
        stage=kind.stage,
        kind=type(error).__name__,
        out_of_memory=isinstance(error, MemoryError),
        duration_seconds=round(seconds, 3),
        worker=row.claimed_by or this_worker(),
        note=kind.note(error),
        details=kind.details(row),
    )
    if not kind.handle(row, error, failure):
        record_failed_attempt(kind, row, error, failure, at=at)


def record_failed_attempt(
    kind: WorkKind[LeasedRow], row: LeasedRow, error: Exception, failure: Failure, *, at: datetime | None
) -> None:
    """Count the attempt; schedule a retry after a pause, or give up after the last attempt."""
    waiting = kind.waiting().filter(pk=row.pk)
    if not waiting.update(attempts=F("attempts") + 1, failure=failure.as_json()):
        return
    row.refresh_from_db(fields=["attempts"])
    log.error("%s failed at attempt %s: %s", row, row.attempts, failure.note)
    pause = kind.retries.pause_after(row.attempts)
    # Meanwhile no worker holds it and no message is on its way; the sweep sends one after the pause.
    type(row)._default_manager.filter(pk=row.pk, claimed_by=row.claimed_by).update(
        dispatched_at=None, **paused(until=(at or clock.database_now()) + pause)
    )
    if not kind.retries.allows(row.attempts, error):
        kind.give_up(row, failure)
