"""When the last byte of an upload had come.

In: a request that has been read to its end. Out: a moment of the database's clock. A proxy reads the whole
of an upload before the site sees any of it, and in the rush before a closing the site may let it wait for
seconds. So the proxy that the profile trusts says when it had read it, and the time since then is taken off.
Only that duration comes from other clocks; it is dropped where they cannot both be right.
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
    """Between proxy and site; nothing where no proxy is trusted to say so."""
    told = request.headers.get(settings.ARRIVAL_HEADER, "") if settings.ARRIVAL_HEADER else ""
    try:
        waited = time.time() - float(told)
    except ValueError:
        return 0.0
    return waited if 0 <= waited <= LONGEST_WAIT_SECONDS else 0.0
