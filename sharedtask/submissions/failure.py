"""When a step fails: whose fault it is decides who reads about it and whether it is tried again.

In: a run or a score that a worker is at, and whatever comes up: an exception, or the worker's death. Out: a
refusal for the team (theirs); another attempt after a pause that doubles, and after the last one a failed run
with an apology to the team and a note for the organisers (ours); or at once that note, where a message could
reveal test data.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError, InterfaceError, transaction
from django.db.models import F

from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock, logs
from sharedtask.core.errors import ConfidentialFailure, Refusal
from sharedtask.submissions import messages, notify, record
from sharedtask.submissions.models import Run, Score
from sharedtask.work.lease import this_worker

MOST_ATTEMPTS = 4
MOST_ATTEMPTS_OF_THE_MACHINE = 12
"""A full disk or a store that is away is nobody's file: it passes, and all files suffer from it."""
MOST_LOSSES = 8
"""Workers die for many reasons; a file that has killed so many of them is the reason."""
FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(seconds=60)

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Failure:
    """What went wrong on our side; for organisers only."""

    stage: str
    kind: str
    test_set: str = ""
    exit_code: int | None = None
    signal: int | None = None
    out_of_memory: bool | None = None
    """None where nobody can tell."""
    duration_seconds: float | None = None
    worker: str = ""
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"whose": "ours"}


@contextmanager
def failures_of(work: Run | Score) -> Iterator[None]:
    run = work.file.run if isinstance(work, Score) else work
    began = time.monotonic()
    with logs.about(run=run.public_id, stage=stage_of(work)):
        try:
            yield
            log.info("done in %.3f seconds", time.monotonic() - began)
        except Refusal as refusal:
            log.info("refused: %s", refusal.id)
            record.record_refusal(run, refusal)
        except ConfidentialFailure as error:
            log.error("needs an organiser")
            messages.write(run=run, text=record.printable(str(error), longest=messages.LONGEST))
            give_up(work, failure_of(work, error, note=str(error), began=began))
        except (DatabaseError, InterfaceError):
            # Nothing can be recorded now. The lease runs out and the sweeper hands the work out again.
            log.warning("the database is away; the work stays for the sweeper")
            raise
        except Exception as error:
            log.exception("failed on our side")
            try_again_later(work, failure_of(work, error, note=traceback.format_exc(), began=began), error)


@contextmanager
def failures_of_recording(scores: Sequence[Score]) -> Iterator[None]:
    """A full disk, say, under what several files have come to: each of them is tried again."""
    began = time.monotonic()
    try:
        yield
    except (DatabaseError, InterfaceError):
        log.warning("the database is away; %s scores stay for the sweeper", len(scores))
        raise
    except Exception as error:
        log.exception("%s scores could not be recorded", len(scores))
        for score in scores:
            with logs.about(run=score.file.run.public_id, stage="score"):
                told = failure_of(score, error, note=traceback.format_exc(), began=began)
                try_again_later(score, told, error)


def stage_of(work: Run | Score) -> str:
    return "score" if isinstance(work, Score) else "check"


def failure_of(work: Run | Score, error: Exception, *, note: str, began: float) -> Failure:
    return Failure(
        stage=stage_of(work),
        kind=type(error).__name__,
        test_set=work.file.test_set.code if isinstance(work, Score) else "",
        out_of_memory=isinstance(error, MemoryError),
        duration_seconds=round(time.monotonic() - began, 3),
        worker=this_worker(),
        note=record.printable(note, longest=20_000),
    )


def try_again_later(work: Run | Score, failure: Failure, error: Exception) -> None:
    """Count the attempt and free the work after a pause that doubles, until it was the last one."""
    most = MOST_ATTEMPTS_OF_THE_MACHINE if is_of_the_machine(error) else MOST_ATTEMPTS
    if unfinished(work).update(attempts=F("attempts") + 1, failure=failure.as_json()) == 0:
        return
    work.refresh_from_db(fields=["attempts"])
    if work.attempts >= most:
        give_up(work, failure)
        return
    rest(work, failure, times=work.attempts - 1)


def is_of_the_machine(error: Exception) -> bool:
    """No space, no memory, no connection, no answer from the store."""
    return isinstance(error, OSError | MemoryError) or type(error).__module__.startswith("botocore")


def lost(work: Run | Score, failure: Failure, *, claimed_until: datetime | None) -> bool:
    """The worker died with it, or fell silent. False when somebody else has it by now."""
    held = unfinished(work).filter(claimed_by=work.claimed_by, claimed_until=claimed_until)
    if held.update(losses=F("losses") + 1, failure=failure.as_json(), claimed_by="", claimed_until=None) == 0:
        return False
    work.refresh_from_db(fields=["losses"])
    log.warning("%s lost its worker %s (%s), time %s", work, failure.worker, failure.kind, work.losses)
    if work.losses >= MOST_LOSSES:
        give_up(work, failure)
        return False
    return True


def rest(work: Run | Score, failure: Failure, *, times: int) -> None:
    """Nobody holds it meanwhile; the sweeper hands it out when the pause is over."""
    pause = min(FIRST_PAUSE * 2**times, LONGEST_PAUSE)
    unfinished(work).update(claimed_by="", claimed_until=clock.database_now() + pause)


def give_up(work: Run | Score, failure: Failure) -> None:
    at = clock.database_now()
    told = failure.as_json()
    with transaction.atomic():
        if isinstance(work, Run):
            # The team may have to upload again, and should not pay for our failure. A failure of scoring
            # gives nothing back: the upload stands and is scored later, and a quota that grows would
            # tell something that depends on gold.
            failed = unfinished(work).update(
                state=Run.State.FAILED,
                failure=told,
                claimed_until=None,
                finished_at=at,
                spends_quota=False,
            )
            if failed:
                notify.tell_failed(Run.objects.get(pk=work.pk), at=at)
            return
        # The run's row first, as in record.py, so that nobody waits in a circle.
        failed = Run.objects.filter(pk=work.file.run_id, state=Run.State.SCORING).update(
            state=Run.State.FAILED, failure=told, finished_at=at
        )
        if failed:
            notify.tell_failed(Run.objects.get(pk=work.file.run_id), at=at)
        unfinished(work).update(state=Score.State.FAILED, failure=told, claimed_until=None, finished_at=at)
        request_standings(work.file.run.phase_id, at=at)


def unfinished(work: Run | Score) -> Any:
    """The row itself, if it still waits for what has just failed."""
    if isinstance(work, Score):
        return Score.objects.filter(pk=work.pk, state=Score.State.WAITING)
    return Run.objects.filter(pk=work.pk, state__in=[Run.State.RECEIVED, Run.State.CHECKING])
