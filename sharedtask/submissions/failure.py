"""When a step fails: whose fault it is decides who reads about it and whether it is tried again.

In: a run that a worker is working on (or the score, if it is about one), and whatever exception comes up.
Out: a refusal for the team, another attempt later, or a failed run with a note for the organisers.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.db import DatabaseError, transaction
from django.db.models import F

from sharedtask import clock
from sharedtask.faults import ConfidentialFault, TeamFault
from sharedtask.submissions import messages, record
from sharedtask.submissions.models import Run, Score

MOST_ATTEMPTS = 3
FIRST_PAUSE = timedelta(seconds=10)

log = logging.getLogger(__name__)


@contextmanager
def failures_of(work: Run | Score) -> Iterator[None]:
    run = work.file.run if isinstance(work, Score) else work
    try:
        yield
    except TeamFault as fault:
        log.info("run %s refused: %s", run.public_id, fault.id)
        record.record_refusal(run, fault)
    except ConfidentialFault as fault:
        log.error("run %s needs an organiser", run.public_id)
        messages.write(run=run, text=record.printable(str(fault), longest=messages.LONGEST))
        give_up(work, failure_of(work, fault, note=str(fault)))
    except DatabaseError:
        # Nothing can be recorded now. The lease runs out and the sweeper hands the work out again.
        raise
    except Exception as error:
        log.exception("run %s failed on our side", run.public_id)
        try_again_later(work, failure_of(work, error, note=traceback.format_exc()))


def failure_of(work: Run | Score, error: Exception, *, note: str) -> dict[str, Any]:
    """For organisers only."""
    return {
        "stage": "score" if isinstance(work, Score) else "check",
        "kind": type(error).__name__,
        "test_set": work.file.test_set.code if isinstance(work, Score) else "",
        "note": record.printable(note, longest=20_000),
    }


def try_again_later(work: Run | Score, failure: dict[str, Any]) -> None:
    """Count the attempt and free the work after a pause that doubles; the third failure is the last."""
    if unfinished(work).update(attempts=F("attempts") + 1, failure=failure) == 0:
        return
    work.refresh_from_db(fields=["attempts"])
    if work.attempts >= MOST_ATTEMPTS:
        give_up(work, failure)
        return
    free_at = clock.database_now() + FIRST_PAUSE * 2 ** (work.attempts - 1)
    unfinished(work).update(claimed_until=free_at)


def give_up(work: Run | Score, failure: dict[str, Any]) -> None:
    at = clock.database_now()
    with transaction.atomic():
        if isinstance(work, Run):
            # The team may have to upload again, and should not pay for our failure. A failure of scoring
            # gives nothing back: the upload stands and is scored later, and a quota that grows would
            # tell something that depends on gold.
            unfinished(work).update(
                state=Run.State.FAILED,
                failure=failure,
                claimed_until=None,
                finished_at=at,
                spends_quota=False,
            )
            return
        # The run's row first, as in record.py, so that nobody waits in a circle.
        Run.objects.filter(pk=work.file.run_id, state=Run.State.SCORING).update(
            state=Run.State.FAILED, failure=failure, finished_at=at
        )
        unfinished(work).update(state=Score.State.FAILED, failure=failure, claimed_until=None, finished_at=at)


def unfinished(work: Run | Score) -> Any:
    """The row itself, if it still waits for what has just failed."""
    if isinstance(work, Score):
        return Score.objects.filter(pk=work.pk, state=Score.State.WAITING)
    return Run.objects.filter(pk=work.pk, state=Run.State.CHECKING)
