"""Who sends a request: the only place where resumable uploads learn it.

Today a person is known by the session of a browser, which has to prove with a CSRF token that the request
comes from a page of this site. Other ways to sign in, for programs, belong here too, before the session: they
send their secret on purpose and need no such proof.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware

from sharedtask.accounts.models import User
from sharedtask.core.errors import Refusal


class CsrfCheck(CsrfViewMiddleware):
    """Returns the reason instead of a page."""

    def _reject(self, request: HttpRequest, reason: str) -> str:
        return reason


def user_of(request: HttpRequest) -> User:
    user = request.user
    if not isinstance(user, User) or not user.is_active:
        raise Refusal("not-signed-in", "Please sign in first. The upload can be resumed afterwards.")
    check = CsrfCheck(lambda request: HttpResponse())
    check.process_request(request)
    if check.process_view(request, lambda request: HttpResponse(), (), {}) is not None:
        raise Refusal(
            "csrf-failed",
            "This request does not prove that it comes from a page of this site: send the value of the "
            "cookie csrftoken in the header X-CSRFToken.",
        )
    # Purposes ask the request, whichever way a person was recognised.
    request.user = user
    return user
