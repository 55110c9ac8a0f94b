"""`celery -A tests.machinery.twins.worker`: each task at the moment of the file, its chance by its arguments.

Celery itself keeps the real time. Scoring takes no time at all: its duration is shown where scores are, and
would differ between two servers by the load of the machine.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from celery.signals import task_postrun, task_prerun

from tests.machinery.twins.standing import moment, sow, standing_at
from workers.app import app  # noqa: F401

_travels: list[Any] = []


@task_prerun.connect(weak=False)
def stop_the_clock(task: Any, args: Any, **kwargs: object) -> None:
    at = moment()
    stop_the_watch()
    sow(f"{task.name} {args} {at}")
    _travels.append(standing_at(at))
    _travels[-1].start()


def stop_the_watch() -> None:
    from sharedtask.submissions import score

    score.time = SimpleNamespace(monotonic=lambda: 0.0)  # type: ignore[assignment]


@task_postrun.connect(weak=False)
def let_it_go(**kwargs: object) -> None:
    _travels.pop().stop()
