"""The Celery tasks: one per kind of work, built from the list in `operations/kinds.py`, and the sweeps.

A message carries the keys of rows. A task that finds nothing to claim returns: the message was delivered
twice, or another worker was faster.
"""

from __future__ import annotations

from typing import Any

from celery import Task
from celery.utils.log import get_task_logger

from sharedtask.core import clock
from sharedtask.operations import sweep as work_sweep
from sharedtask.operations import sweep_notices as mail_sweep
from sharedtask.operations.kinds import AIRLOCK_KINDS, JOBS, KINDS, MAIL_KINDS
from sharedtask.work import targets
from sharedtask.work.dispatch import Key
from sharedtask.work.kinds import Job, WorkKind
from workers import lost_processes, memory_limit, scorer_engine  # noqa: F401
from workers.app import app
from workers.make_task import make_task

log = get_task_logger(__name__)


def task_for_kind(kind: WorkKind[Any]) -> Task[Any, Any]:
    return make_task(app, kind)


def task_for_job(job: Job) -> Task[Any, Any]:
    @app.task(name=job.target.task)
    def work(keys: list[Key]) -> None:
        for key in keys:
            job.run(key)

    return work


TASKS = {kind.target: task_for_kind(kind) for kind in (*KINDS, *MAIL_KINDS) if kind not in AIRLOCK_KINDS}
TASKS |= {job.target: task_for_job(job) for job in JOBS}


@app.task(name=targets.SWEEP.task)
def sweep() -> None:
    swept = work_sweep.sweep(strays=False)
    if swept:
        log.info("%s", swept)


@app.task(name=targets.REMOVE_STRAYS.task)
def remove_strays() -> None:
    removed = work_sweep.remove_strays(at=clock.database_now())
    if removed:
        log.info("removed %s stray files", removed)


@app.task(name=targets.SWEEP_MAIL.task)
def sweep_mail() -> None:
    swept = mail_sweep.sweep()
    if swept.notified or swept.dispatched:
        log.info("swept: %s events notified, %s e-mails enqueued again", swept.notified, swept.dispatched)
