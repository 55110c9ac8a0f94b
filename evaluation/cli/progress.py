"""A progress bar, written only to a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType

_WIDTH = 30
_MEBIBYTE = 1024 * 1024


class Progress:
    """`with Progress("Scoring") as progress: … progress(done, total)`; the line is erased at the end."""

    def __init__(self, title: str, *, in_bytes: bool = False) -> None:
        self._title = title
        self._in_bytes = in_bytes
        self._is_terminal = sys.stderr.isatty()
        self._started = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __call__(self, done: int, total: int) -> None:
        if not self._is_terminal or not total:
            return
        filled = _WIDTH * done // total
        seconds = time.monotonic() - self._started
        left = f", about {seconds / done * (total - done):.0f} s left" if 0 < done < total else ""
        bar = "█" * filled + "░" * (_WIDTH - filled)
        state = f"{done}/{total}"
        if self._in_bytes:
            state = f"{done / _MEBIBYTE:.1f}/{total / _MEBIBYTE:.1f} MiB"
        print(f"\r\x1b[K{self._title} {bar} {state}{left}", end="", file=sys.stderr, flush=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
