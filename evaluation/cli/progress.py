"""A progress bar, written only to a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType

_WIDTH = 30


class Progress:
    """`with Progress("Scoring") as progress: … progress(done, total)`; the line is erased at the end."""

    def __init__(self, title: str) -> None:
        self._title = title
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
        print(f"\r\x1b[K{self._title} {bar} {done}/{total}{left}", end="", file=sys.stderr, flush=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
