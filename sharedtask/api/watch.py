"""Wait until a run changes: a long poll.

In: a function that reads the run, and the version that the client knows. Out: the run, as soon as it has
another version or the time is up. Each wait occupies a thread of the server, so that few may wait at a time
in one process; the others get an answer at once, with the advice to ask again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Any

from django.conf import settings

MAX_SECONDS = 50
"""Shorter than the time after which proxies give up."""
INTERVAL_SECONDS = 0.5
RETRY_SECONDS = 2

_waiting = BoundedSemaphore(settings.API_MAX_WAITING)


@dataclass(frozen=True, kw_only=True)
class Change:
    document: dict[str, Any]
    changed: bool
    retry_after: int = 0


def wait_for_change(read: Callable[[], dict[str, Any]], *, after: str, seconds: int) -> Change:
    document = read()
    if is_news(document, after) or seconds == 0:
        return Change(document=document, changed=document["version"] != after)
    if not _waiting.acquire(blocking=False):
        return Change(document=document, changed=False, retry_after=RETRY_SECONDS)
    try:
        end = time.monotonic() + seconds
        while not is_news(document, after) and time.monotonic() < end:
            time.sleep(INTERVAL_SECONDS)
            document = read()
    finally:
        _waiting.release()
    return Change(document=document, changed=document["version"] != after)


def is_news(document: dict[str, Any], after: str) -> bool:
    """A run that is final changes no more, so that there is nothing to wait for."""
    return bool(document["version"] != after or document["is_final"])
