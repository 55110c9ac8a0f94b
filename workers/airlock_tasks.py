"""The Celery tasks of the airlock: one per kind of work that needs a container engine."""

from __future__ import annotations

from sharedtask.operations.kinds import AIRLOCK_KINDS
from workers import lost_processes, memory_limit  # noqa: F401
from workers.airlock import app
from workers.make_task import make_task

TASKS = {kind.target: make_task(app, kind) for kind in AIRLOCK_KINDS}
