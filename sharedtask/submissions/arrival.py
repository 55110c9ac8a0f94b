"""When the last byte of an upload arrived.

In: a request that has been read completely. Out: a time by the database's clock. A proxy reads the whole
upload before the site sees any of it, and in the rush before a deadline it may then wait for seconds. The
trusted proxy therefore sends the time when it had read the upload, and the time since then is subtracted.
Only this duration depends on other clocks; an implausible one is ignored.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from django.conf import settings
from django.http import HttpRequest

from sharedtask.core import clock

LONGEST_WAIT_SECONDS = 120
"""The proxy gives up after this time (`proxy_read_timeout`)."""


def last_byte_at(request: HttpRequest) -> datetime:
    return clock.database_now() - timedelta(seconds=waited_seconds(request))


def waited_seconds(request: HttpRequest) -> float:
    """How long the upload waited between proxy and site; 0 without a trusted proxy."""
    header = request.headers.get(settings.ARRIVAL_HEADER, "") if settings.ARRIVAL_HEADER else ""
    try:
        waited = time.time() - float(header)
    except ValueError:
        return 0.0
    return waited if 0 <= waited <= LONGEST_WAIT_SECONDS else 0.0
