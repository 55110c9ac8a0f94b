"""Spread work over processes, or do it here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TypeVar

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def spread(work: Callable[[Task], Answer], tasks: Sequence[Task], jobs: int) -> Iterator[Answer]:
    """The answers to all tasks, in no particular order. `work` must be a function of a module."""
    if jobs <= 1 or len(tasks) <= 1:
        yield from map(work, tasks)
        return
    # New processes, not copies of this one: copies inherit locks that other threads hold.
    with _one_thread_each(), ProcessPoolExecutor(min(jobs, len(tasks)), get_context("spawn")) as pool:
        futures = [pool.submit(work, task) for task in tasks]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            for future in futures:
                future.cancel()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let new processes use one thread each for matrix products: together they fill the cores already."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
