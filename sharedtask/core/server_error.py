"""The response to an unexpected error, which is either temporary or a defect.

In: the exception. Out: 503 with a time after which to try again, if the database, the broker, the storage,
the disk or the profile of a task is unavailable; 500 for everything else. Neither page needs the database.
"""

from __future__ import annotations

import errno
import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.views.decorators.csrf import requires_csrf_token

from evaluation import ProfileError
from sharedtask.core.errors import ServerFailure

RETRY_SECONDS = 10
NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""The disk or the quota is full, or a file has reached the size limit of the process."""


@requires_csrf_token
def server_error(request: HttpRequest) -> HttpResponse:
    """Django calls it while the exception is being handled."""
    if is_temporary(sys.exc_info()[1]):
        response = HttpResponse(loader.get_template("503.html").render(), status=503)
        response["Retry-After"] = str(RETRY_SECONDS)
        return response
    return HttpResponse(loader.get_template("500.html").render(), status=500)


def is_temporary(error: BaseException | None) -> bool:
    if isinstance(error, OSError):
        return error.errno in NO_SPACE
    # The profile of a task is not installed: the operator can install it again.
    if isinstance(error, OperationalError | InterfaceError | ServerFailure | ProfileError):
        return True
    return type(error).__module__.split(".")[0] in ("botocore", "redis", "kombu")
