"""Work of our own: standings, analyses, packages. Whatever comes up, it is tried again after a longer pause.

In: the row that a worker has claimed, and what fails while it works. Out: the row, let go until the pause is
over, with what went wrong for operators. A database that is away is not written to; the lease runs out then.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import DatabaseError, InterfaceError
from django.db.models import F

from sharedtask.core import clock, logs
from sharedtask.work.lease import Leased

FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(minutes=10)
# Beyond so many the pause is the longest anyway, and a power of two would soon be no length of time any more.
DOUBLED_AT_MOST = 10

log = logging.getLogger(__name__)


@contextmanager
def tried_again(row: Leased, *, stage: str, **about: str) -> Iterator[None]:
    began = time.monotonic()
    with logs.about(stage=stage, **about):
        try:
            yield
        except (DatabaseError, InterfaceError):
            raise
        except Exception as error:
            log.exception("the stage %s failed and is tried again", stage)
            pause = min(FIRST_PAUSE * 2 ** min(row.attempts, DOUBLED_AT_MOST), LONGEST_PAUSE)
            type(row)._default_manager.filter(pk=row.pk).update(
                attempts=F("attempts") + 1,
                claimed_by="",
                claimed_until=clock.database_now() + pause,
                failure={
                    "stage": stage,
                    "kind": type(error).__name__,
                    "out_of_memory": isinstance(error, MemoryError),
                    "duration_seconds": round(time.monotonic() - began, 3),
                    "worker": row.claimed_by,
                    "note": traceback.format_exc()[-20_000:],
                },
            )
