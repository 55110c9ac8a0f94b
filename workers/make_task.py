"""A Celery task for a kind of work, with the time limits of the kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from celery import Celery, Task

from sharedtask.work.dispatch import Key
from sharedtask.work.kinds import WorkKind
from sharedtask.work.perform import perform

SECONDS_BEFORE_KILL = 60


def make_task(app: Celery, kind: WorkKind[Any]) -> Task[Any, Any]:
    def work(keys: list[Key]) -> None:
        perform(kind, keys)

    decorate: Callable[..., Task[Any, Any]] = app.task(name=kind.target.task, **time_limits(kind))
    return decorate(work)


def time_limits(kind: WorkKind[Any]) -> dict[str, Any]:
    """The soft limit raises an exception, which is recorded as a failure; the hard one kills the process."""
    if kind.time_limit is None:
        return {}
    seconds = int(kind.time_limit.total_seconds())
    return {"soft_time_limit": seconds, "time_limit": seconds + SECONDS_BEFORE_KILL}
