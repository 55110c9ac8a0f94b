"""Several threads at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

Result = TypeVar("Result")


def at_once(*functions: Callable[[], Result]) -> list[Result]:
    """Call all of them at once, in threads with a connection each."""
    barrier = threading.Barrier(len(functions))

    def call(function: Callable[[], Result]) -> Result:
        try:
            connection.ensure_connection()
            barrier.wait()
            return function()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(functions)) as pool:
        return list(pool.map(call, functions))
