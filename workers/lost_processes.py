"""When a pool process dies during a task, its parent process records how it ended.

In: Celery's signal that a task failed, which the parent receives for deaths and hard time limits. Out: the
row is released, with the exit code or signal and, where the system reports it, whether memory ran out. If the
parent dies too, nothing is recorded, and the lease expires instead.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

from billiard.exceptions import TimeLimitExceeded, WorkerLostError
from celery.signals import task_failure, worker_init
from django.db import DatabaseError, connection

from sharedtask.operations.kinds import KINDS, MAIL_KINDS
from sharedtask.work.dispatch import Key
from sharedtask.work.failure import Failure
from sharedtask.work.kinds import WorkKind
from sharedtask.work.lease import Leased
from sharedtask.work.losses import record_loss

MEMORY_EVENTS = Path("/sys/fs/cgroup/memory.events")
SIGKILL = 9

log = logging.getLogger(__name__)
_known_kills = 0


@worker_init.connect(weak=False)
def remember_kills(**kwargs: object) -> None:
    global _known_kills
    _known_kills = out_of_memory_kills() or 0


@task_failure.connect(weak=False)
def record_death(sender: Any, exception: BaseException, args: Any, **kwargs: object) -> None:
    if not isinstance(exception, WorkerLostError | TimeLimitExceeded) or not args:
        return
    try:
        for kind in (*KINDS, *MAIL_KINDS):
            if kind.target.task == sender.name:
                for row in held_rows(kind, args[0]):
                    record_loss(kind, row, describe_failure(kind, row, exception))
    except DatabaseError:
        log.warning("cannot record that %s %s lost its process; its lease will expire", sender.name, args)
    finally:
        # This process forks, and its children must not inherit an open connection.
        connection.close()


def held_rows(kind: WorkKind[Any], keys: list[Key]) -> list[Leased]:
    """The rows named in the message that are still claimed."""
    if kind.rows_per_claim is not None:
        # Several workers may hold rows of one message, and it is unknown which of them has died.
        return []
    rows = kind.waiting().filter(**{f"{kind.key}__in": keys}, claimed_until__isnull=False)
    return list(kind.with_related(rows.exclude(claimed_by="")))


def describe_failure(kind: WorkKind[Any], row: Leased, exception: BaseException) -> Failure:
    text = str(exception)
    signal = re.search(r"signal (\d+)", text)
    exit_code = re.search(r"exitcode (\d+)", text)
    number = int(signal[1]) if signal else None
    return Failure(
        stage=kind.stage,
        kind=type(exception).__name__,
        exit_code=int(exit_code[1]) if exit_code else None,
        signal=SIGKILL if isinstance(exception, TimeLimitExceeded) else number,
        out_of_memory=ran_out_of_memory() if number == SIGKILL else False,
        worker=row.claimed_by,
        note=text,
        details=kind.details(row),
    )


def ran_out_of_memory() -> bool | None:
    """Whether the kernel killed a process of this container for lack of memory since the last death.

    None if unknown.
    """
    global _known_kills
    kills = out_of_memory_kills()
    if kills is None:
        return None
    has_grown, _known_kills = kills > _known_kills, kills
    return has_grown


def out_of_memory_kills() -> int | None:
    try:
        match = re.search(r"^oom_kill (\d+)", MEMORY_EVENTS.read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(match[1]) if match else None
