"""A pool process that dies under its task: its parent lives on and writes down how it ended.

In: Celery's signal that a task failed, sent in the parent for deaths and hard time limits. Out: the row is
free again, with exit code or signal and, where the machine tells, whether memory ran out. When the parent
dies too, nobody is left to write, and the lease runs out instead.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

from billiard.exceptions import TimeLimitExceeded, WorkerLostError
from celery.signals import task_failure, worker_init
from django.db import DatabaseError, connection

from sharedtask.submissions import failure
from sharedtask.submissions.models import Run, Score
from sharedtask.work import dispatch

MEMORY_EVENTS = Path("/sys/fs/cgroup/memory.events")
SIGKILL = 9

log = logging.getLogger(__name__)
_kills_so_far = 0


@worker_init.connect(weak=False)
def count_kills(**kwargs: object) -> None:
    global _kills_so_far
    _kills_so_far = out_of_memory_kills() or 0


@task_failure.connect(weak=False)
def write_down_a_death(sender: Any, exception: BaseException, args: Any, **kwargs: object) -> None:
    if not isinstance(exception, WorkerLostError | TimeLimitExceeded) or not args:
        return
    try:
        for work in works_of(sender.name, args[0]):
            failure.lost(work, failure_of(work, exception), claimed_until=work.claimed_until)
    except DatabaseError:
        log.warning(
            "cannot write down that %s %s lost its process; its lease will run out", sender.name, args
        )
    finally:
        # This process forks: its children must not inherit an open connection.
        connection.close()


def works_of(task: str, public_ids: str) -> list[Run] | list[Score]:
    """What the message named and somebody still holds."""
    ids = public_ids.split()
    if task == dispatch.CHECK_RUN:
        return list(Run.objects.filter(public_id__in=ids, state=Run.State.CHECKING).exclude(claimed_by=""))
    if task == dispatch.SCORE_FILES:
        scores = Score.objects.filter(public_id__in=ids, state=Score.State.WAITING).exclude(claimed_by="")
        return list(scores.select_related("file__test_set", "file__run"))
    return []


def failure_of(work: Run | Score, exception: BaseException) -> failure.Failure:
    said = str(exception)
    signal = re.search(r"signal (\d+)", said)
    exit_code = re.search(r"exitcode (\d+)", said)
    number = int(signal[1]) if signal else None
    return failure.Failure(
        stage=failure.stage_of(work),
        kind=type(exception).__name__,
        test_set=work.file.test_set.code if isinstance(work, Score) else "",
        exit_code=int(exit_code[1]) if exit_code else None,
        signal=SIGKILL if isinstance(exception, TimeLimitExceeded) else number,
        out_of_memory=ran_out_of_memory() if number == SIGKILL else False,
        worker=work.claimed_by,
        note=said,
    )


def ran_out_of_memory() -> bool | None:
    """Whether the kernel killed for memory in this container since the last death; None if unknown."""
    global _kills_so_far
    kills = out_of_memory_kills()
    if kills is None:
        return None
    more, _kills_so_far = kills > _kills_so_far, kills
    return more


def out_of_memory_kills() -> int | None:
    try:
        found = re.search(r"^oom_kill (\d+)", MEMORY_EVENTS.read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) if found else None
