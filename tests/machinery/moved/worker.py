"""`celery -A tests.machinery.moved.worker`. Celery keeps the real time, its tasks have the moved one."""

from __future__ import annotations

from celery.signals import task_prerun

from tests.machinery.moved import follow
from workers.app import app  # noqa: F401


@task_prerun.connect(weak=False)
def move(**kwargs: object) -> None:
    follow()
