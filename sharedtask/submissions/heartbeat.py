"""The heartbeat: as long as a worker is at a piece of work, a thread of it renews the lease.

In: claimed rows. Out: nothing but a lease that does not run out while its worker lives. When the process
dies, so does the thread, and the rows are free within one lease. Work that is done before the first beat
costs no query.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import DatabaseError, connection

from sharedtask import clock
from sharedtask.submissions.models.lease import LEASE, Leased

BEAT_SECONDS = LEASE.total_seconds() / 3

log = logging.getLogger(__name__)


@contextmanager
def beating(*works: Leased) -> Iterator[None]:
    done = threading.Event()
    thread = threading.Thread(target=beat, args=(works, done), name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def beat(works: Sequence[Leased], done: threading.Event) -> None:
    try:
        while not done.wait(BEAT_SECONDS):
            try:
                # One by one: two processes that change several rows at once may wait for each other.
                for work in works:
                    renew(work)
            except (DatabaseError, MemoryError) as error:
                # The database is away for a moment, or memory is short; the next beat may be in time.
                log.warning("cannot renew %s leases: %s", len(works), error)
                connection.close()
    finally:
        connection.close()


def renew(work: Leased) -> bool:
    """Only while the row is still this worker's: a lease that was lost is not taken back."""
    until = clock.database_now() + LEASE
    held = type(work)._default_manager.filter(
        pk=work.pk, claimed_by=work.claimed_by, claimed_until__isnull=False
    )
    return bool(held.update(claimed_until=until))
