"""When a page cannot be made: what passes by itself is told apart from what is broken.

In: the exception that came up. Out: 503 with a time after which to try again, where the database, the
broker, the store or the disk is away for a while; 500 for everything else. Neither page asks the database
for anything.
"""

from __future__ import annotations

import errno
import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.views.decorators.csrf import requires_csrf_token

from sharedtask.core.errors import ServerFailure

RETRY_SECONDS = 10
NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""The disk is full, or our share of it, or a file has reached the most that the process may write."""


@requires_csrf_token
def server_error(request: HttpRequest) -> HttpResponse:
    """Django calls it while the exception is being handled."""
    if passes(sys.exc_info()[1]):
        answer = HttpResponse(loader.get_template("503.html").render(), status=503)
        answer["Retry-After"] = str(RETRY_SECONDS)
        return answer
    return HttpResponse(loader.get_template("500.html").render(), status=500)


def passes(error: BaseException | None) -> bool:
    if isinstance(error, OSError):
        return error.errno in NO_SPACE
    if isinstance(error, OperationalError | InterfaceError | ServerFailure):
        return True
    return type(error).__module__.split(".")[0] in ("botocore", "redis", "kombu")
