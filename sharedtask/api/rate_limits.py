"""How many requests a token, or an address without one, may send in a minute.

In: who sends, and whether the request reads or writes. Out: an `Allowance`, or that there is none left. The
counts are shared by all processes, in the cache `limits`; if it is unavailable, requests are let through,
because a limit protects the site and is no reason to stop it.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import caches
from django.http import HttpResponse

WINDOW_SECONDS = 60

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Allowance:
    policy: str
    limit: int
    remaining: int
    reset_seconds: int
    is_exceeded: bool

    def add_to(self, response: HttpResponse) -> None:
        """The fields of the IETF draft on rate limits, and Retry-After of HTTP."""
        response["RateLimit-Policy"] = f'"{self.policy}";q={self.limit};w={WINDOW_SECONDS}'
        response["RateLimit"] = f'"{self.policy}";r={self.remaining};t={self.reset_seconds}'
        if self.is_exceeded:
            response["Retry-After"] = str(self.reset_seconds)


def take(who: str, policy: str) -> Allowance:
    """Count one request. `policy` is `reads` or `writes`."""
    limit = settings.API_LIMITS[policy]
    now = int(time.time())
    window, elapsed = divmod(now, WINDOW_SECONDS)
    used = count(f"{policy}:{who}:{window}")
    return Allowance(
        policy=policy,
        limit=limit,
        remaining=max(0, limit - used),
        reset_seconds=WINDOW_SECONDS - elapsed,
        is_exceeded=used > limit,
    )


def count(key: str) -> int:
    cache = caches["limits"]
    try:
        try:
            return int(cache.incr(key))
        except ValueError:
            # The first request of the minute; `add` does nothing if another one was faster.
            cache.add(key, 0, timeout=2 * WINDOW_SECONDS)
            return int(cache.incr(key))
    except Exception as error:
        # Whatever the cache raises: the libraries of its backends have no common class of errors.
        log.warning("requests are not counted: %r", error)
        return 0
