"""A pool of processes. No model is imported here: new processes import this module before django.setup()."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process

import django
from django.conf import settings
from django.db import connections


@contextmanager
def process_pool(jobs: int) -> Iterator[Executor | None]:
    """Spawned processes, because a database connection cannot be inherited; none for a single job."""
    if jobs <= 1:
        yield None
        return
    connections.close_all()
    level = logging.getLogger("sharedtask").level
    with ProcessPoolExecutor(
        jobs,
        mp_context=get_context("spawn"),
        initializer=start_process,
        initargs=(settings.GOLD_PRIVATE_KEY_FILE, level),
    ) as pool:
        yield pool


def start_process(private_key: str, log_level: int) -> None:
    threading.Thread(target=end_with_parent, daemon=True).start()
    django.setup()
    settings.GOLD_PRIVATE_KEY_FILE = private_key
    logging.getLogger("sharedtask").setLevel(log_level)


def end_with_parent() -> None:
    """If the command is killed, its processes would wait for work forever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
