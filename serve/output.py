"""What the processes print: all of it goes to a log file, and warnings and errors to the terminal.

In: lines of the child processes and messages of the supervisor. Out: `serve.log` in the data directory, and
the terminal, which shows everything with VERBOSE=1.
"""

import re
import sys
import threading
import time
from pathlib import Path

COLOURS = {"redis": 31, "setup": 35, "web": 32, "worker": 34, "beat": 36}
# `WARNING name: …` of our own format, `[date] [process] [WARNING] …` of gunicorn.
LEVEL = re.compile(r"(?:\[[^\]]*\] \[\d+\] \[)?(DEBUG|INFO|WARNING|ERROR|CRITICAL)\b")


def is_problem(line: str, *, previous: bool) -> bool:
    """Whether a line needs attention. One without a level, as in a traceback, belongs to the one before."""
    if line.startswith("Traceback"):
        return True
    level = LEVEL.match(line)
    return previous if level is None else level[1] not in ("DEBUG", "INFO")


def is_logged(line: str) -> bool:
    """Whether a line comes from a logger, not from a command that prints its result."""
    return LEVEL.match(line) is not None


class Output:
    def __init__(self, log: Path, *, verbose: bool) -> None:
        self.log = log
        self._verbose = verbose
        self._lock = threading.Lock()
        if log.exists():
            # The log of the previous start is kept.
            log.replace(log.with_name(f"{log.name}.1"))
        self._file = log.open("w", encoding="utf-8", errors="replace")

    def close(self) -> None:
        with self._lock:
            self._file.close()

    def write(self, line: str, *, name: str, to_terminal: bool) -> None:
        """Raises OSError if the terminal is closed."""
        now = time.strftime("%H:%M:%S")
        with self._lock:
            if not self._file.closed:
                # The last words of a killed child may come after the end.
                print(f"{now} {name:<6} | {line}", file=self._file, flush=True)
            if to_terminal or self._verbose:
                print(f"{now} {label(name)} | {line}", flush=True)


def label(name: str) -> str:
    text = f"{name:<6}"
    return f"\033[{COLOURS.get(name, 1)}m{text}\033[0m" if sys.stdout.isatty() else text
