"""The site's processes with a clock that goes as fast as any other and that a test moves.

How far it is moved, in seconds, lies in the file `CLOCK_FILE`. The site itself has no door for this: `web.py`
wraps its WSGI application and `worker.py` its Celery application. The database's own clock still tells what
was in time; what it says is moved as well.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import time_machine

from sharedtask.core import clock
from sharedtask.work import dispatch
from sharedtask.work.dispatch import Key
from sharedtask.work.targets import Target

FILE = Path(os.environ["CLOCK_FILE"]) if "CLOCK_FILE" in os.environ else None
_now_and_snapshot = clock.now_and_snapshot
_moving = threading.Lock()
_moved = timedelta(0)
_traveller: time_machine.Traveller | None = None


def follow() -> None:
    """Called before each request and each task; a process that nobody has moved yet begins to travel."""
    global _moved, _traveller
    assert FILE is not None
    text = timedelta(seconds=float(FILE.read_text()))
    with _moving:
        if _traveller is not None and text == _moved:
            return
        if _traveller is None:
            shorten_bursts()
            _traveller = time_machine.travel(datetime.now(UTC) + text, tick=True).start()
        else:
            real = datetime.fromtimestamp(time_machine.escape_hatch.time.time(), UTC)
            _traveller.move_to(real + text, tick=True)
        _moved = text


def shorten_bursts() -> None:
    """Standings wait for the end of a burst of changes, and in a play nobody wants to wait long."""
    # Models cannot be imported before Django is set up, which this module is too early for.
    from sharedtask.competition import request_standings

    request_standings.QUIET_PERIOD = timedelta(seconds=0.3)


def now_and_snapshot() -> tuple[datetime, str | None]:
    moment, snapshot = _now_and_snapshot()
    if clock._stopped_at.get() is not None or clock.connection.vendor != "postgresql":
        # SQLite has this process's clock, which is moved already.
        return moment, snapshot
    return moment + _moved, snapshot


def send_later(target: Target, keys: Sequence[Key], seconds: float) -> None:
    """The broker would tell a countdown by a clock of its own, which is not moved."""
    timer = threading.Timer(seconds, dispatch.send, (target, keys))
    timer.daemon = True
    timer.start()


clock.now_and_snapshot = now_and_snapshot
dispatch.send_later = send_later
