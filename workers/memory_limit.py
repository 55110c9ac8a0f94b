"""Limit the memory of each pool process, so that a task that needs too much fails alone.

In: Celery's signal that a pool process has started, and `WORKER_MEMORY_BYTES`. Out: a limit enforced by the
kernel. Beyond it Python and numpy raise MemoryError, which the check of a file turns into an incident for the
team (`evaluation/scoring/validate.py`), and every other step into a retry.
"""

from __future__ import annotations

import resource

from celery.signals import worker_process_init
from django.conf import settings


@worker_process_init.connect(weak=False)
def limit_memory(**kwargs: object) -> None:
    """RLIMIT_DATA counts memory for data, not the address space that threads and libraries only reserve."""
    limit: int = settings.WORKER_MEMORY_BYTES
    if not limit:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
