"""The heartbeat: while a worker works on a row, one of its threads renews the lease.

In: claimed rows. Out: nothing, but their leases do not expire while the worker is alive. When the process
dies, so does the thread, and the rows are free within one lease. Work that is done before the first beat
costs no query.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import DatabaseError, connection

from sharedtask.core import clock
from sharedtask.work.kinds import LeasedRow, WorkKind
from sharedtask.work.lease import Leased

log = logging.getLogger(__name__)


@contextmanager
def keep_leases(kind: WorkKind[LeasedRow], rows: Sequence[LeasedRow]) -> Iterator[None]:
    done = threading.Event()
    thread = threading.Thread(target=beat, args=(kind, rows, done), name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def interval_seconds(kind: WorkKind[Any]) -> float:
    return kind.lease.total_seconds() / 3


def beat(kind: WorkKind[LeasedRow], rows: Sequence[LeasedRow], done: threading.Event) -> None:
    try:
        while not done.wait(interval_seconds(kind)):
            try:
                # One by one: two processes that update several rows at once could deadlock.
                for row in rows:
                    renew(kind, row)
            except (DatabaseError, MemoryError) as error:
                # The database is down or memory is short; the next beat may still be in time.
                log.warning("cannot renew %s leases: %s", len(rows), error)
                connection.close()
    finally:
        connection.close()


def renew(kind: WorkKind[Any], row: Leased) -> bool:
    """Only while this worker holds the row: a lost lease is not taken back."""
    until = clock.database_now() + kind.lease
    claimed = type(row)._default_manager.filter(
        pk=row.pk, claimed_by=row.claimed_by, claimed_until__isnull=False
    )
    return bool(claimed.update(claimed_until=until))
