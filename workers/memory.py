"""How much memory a process of a worker may have: whatever needs more fails alone, and the host goes on.

In: Celery's signal that a process of the pool has begun, and `WORKER_MEMORY_BYTES`. Out: a limit that the
kernel keeps. Python and numpy then raise MemoryError, which the check of a file turns into words for the team
(`evaluation/scoring/validate.py`) and every other step into another attempt.
"""

from __future__ import annotations

import resource

from celery.signals import worker_process_init
from django.conf import settings


@worker_process_init.connect(weak=False)
def limit(**kwargs: object) -> None:
    """What a process writes to is counted, and not the addresses that threads and libraries only reserve."""
    wanted: int = settings.WORKER_MEMORY_BYTES
    if not wanted:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
