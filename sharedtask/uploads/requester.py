"""Who sends a request: the only place where resumable uploads learn it.

A program is known by an access token, which it sends on purpose. A browser is known by its session, and has
to prove with a CSRF token that the request comes from a page of this site.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware

from sharedtask.accounts import tokens
from sharedtask.accounts.models import Scope, User
from sharedtask.core import clock
from sharedtask.core.errors import Refusal


class CsrfCheck(CsrfViewMiddleware):
    """Returns the reason instead of a page."""

    def _reject(self, request: HttpRequest, reason: str) -> str:
        return reason


def user_of(request: HttpRequest) -> User:
    """Purposes ask `request.user`, whichever way a person was recognised."""
    secret = tokens.bearer_secret(request)
    request.user = user_of_session(request) if secret is None else user_of_token(secret)
    return request.user


def user_of_token(secret: str) -> User:
    token = tokens.find_token(secret, at=clock.database_now())
    tokens.refuse_scope(token, Scope.SUBMIT)
    return tokens.user_with(token)


def user_of_session(request: HttpRequest) -> User:
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
    return user
