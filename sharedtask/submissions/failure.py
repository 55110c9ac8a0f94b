"""When a step fails: whose fault it is decides who reads about it and whether it is tried again.

In: a run that a worker is working on (and the file, if it is about one), and whatever exception comes up.
Out: a refusal for the team, another attempt later, or a failed run with a note for the organisers.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import DatabaseError
from django.db.models import F
from django.utils import timezone

from sharedtask.faults import ConfidentialFault, TeamFault
from sharedtask.submissions import record
from sharedtask.submissions.models import Run, RunFile

MOST_ATTEMPTS = 3
FIRST_PAUSE = timedelta(seconds=10)
UNFINISHED = [Run.State.RECEIVED, Run.State.CHECKING, Run.State.SCORING]

log = logging.getLogger(__name__)


@contextmanager
def failures_of(run: Run, file: RunFile | None = None) -> Iterator[None]:
    try:
        yield
    except TeamFault as fault:
        log.info("run %s refused: %s", run.public_id, fault.id)
        record.record_refusal(run, fault)
    except ConfidentialFault as fault:
        log.error("run %s needs an organiser", run.public_id)
        give_up(run, str(fault))
    except DatabaseError:
        # Nothing can be recorded now. The lease runs out and the sweeper hands the work out again.
        raise
    except Exception:
        log.exception("run %s failed on our side", run.public_id)
        try_again_later(run, file, traceback.format_exc())


def try_again_later(run: Run, file: RunFile | None, note: str) -> None:
    """Count the attempt and free the work after a pause that doubles; the third failure is the last."""
    Run.objects.filter(pk=run.pk, state__in=UNFINISHED).update(
        attempts=F("attempts") + 1, organisers_note=record.printable(note, longest=20_000)
    )
    run.refresh_from_db(fields=["attempts"])
    if run.attempts >= MOST_ATTEMPTS:
        give_up(run, note)
        return
    free_at = timezone.now() + FIRST_PAUSE * 2 ** (run.attempts - 1)
    if file is None:
        Run.objects.filter(pk=run.pk, state=Run.State.CHECKING).update(claimed_until=free_at)
    else:
        RunFile.objects.filter(pk=file.pk, state=RunFile.State.VALID).update(claimed_until=free_at)


def give_up(run: Run, note: str) -> None:
    Run.objects.filter(pk=run.pk, state__in=UNFINISHED).update(
        state=Run.State.FAILED,
        organisers_note=record.printable(note, longest=20_000),
        claimed_until=None,
        finished_at=timezone.now(),
    )
