"""Follow stdout and stderr of a run: count their bytes, keep the last part, report when they are too many."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import closing

from docker.errors import DockerException
from requests.exceptions import RequestException

from .errors import AirlockError

TAIL_BYTES = 2**16


class Log:
    def __init__(
        self,
        open_stream: Callable[[], Generator[bytes, None, None]],
        *,
        quota: int,
        on_excess: Callable[[], None],
    ) -> None:
        self._open_stream = open_stream
        self._quota = quota
        self._on_excess = on_excess
        self._lock = threading.Lock()
        self._tail = bytearray()
        self._total = 0
        # A daemon: it waits for bytes without a timeout and must not keep a worker from ending.
        self._thread = threading.Thread(target=self._follow, daemon=True, name="airlock-log")
        self._thread.start()

    @property
    def total(self) -> int:
        return self._total

    @property
    def is_excessive(self) -> bool:
        return self._total > self._quota

    def tail(self) -> bytes:
        with self._lock:
            return bytes(self._tail[-TAIL_BYTES:])

    def wait(self, seconds: float) -> None:
        """Until the engine has sent everything."""
        self._thread.join(seconds)

    def _follow(self) -> None:
        reported = False
        try:
            with closing(self._open_stream()) as stream:
                for chunk in stream:
                    self._add(chunk)
                    # The stream ends with the run: what comes until then is counted and dropped.
                    if self.is_excessive and not reported:
                        reported = True
                        self._on_excess()
        except (AirlockError, DockerException, RequestException, OSError, ValueError):
            # The engine is gone; observing the run reports it.
            return

    def _add(self, chunk: bytes) -> None:
        with self._lock:
            self._total += len(chunk)
            self._tail += chunk
            if len(self._tail) > 4 * TAIL_BYTES:
                del self._tail[:-TAIL_BYTES]
