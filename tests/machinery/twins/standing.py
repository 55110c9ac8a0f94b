"""Time that stands where a file says, and random numbers that depend on a label alone.

A countdown would be told by a clock that stands, so that what should wait is not sent to the broker at all:
the test moves the clock and sends it then.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy.random  # noqa: F401  It draws a number when it is first imported, which must not be in a play.
import time_machine

from sharedtask.work import dispatch
from sharedtask.work.dispatch import Key
from sharedtask.work.targets import Target

FOLDER = Path(os.environ.get("TWIN_FOLDER", "."))
_source = random.Random(0)
# Ids, session keys and tokens against forgery all come from here; keys and nonces of ciphers do not.
random._urandom = lambda size: _source.randbytes(size)  # type: ignore[attr-defined]


def moment() -> datetime:
    return datetime.fromisoformat((FOLDER / "moment").read_text())


def sow(label: str) -> None:
    _source.seed(label)


def standing_at(at: datetime) -> Any:
    return time_machine.travel(at, tick=False)


def send_later(target: Target, keys: Sequence[Key], seconds: float) -> None:
    """Nothing, see above."""


dispatch.send_later = send_later
