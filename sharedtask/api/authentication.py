"""Who sends a request to the API: the owner of a token, or a visitor. Cookies are not looked at.

So a page of another site cannot act for a signed-in person, and no request needs a CSRF token.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from ninja.security import HttpBearer

from sharedtask.accounts import tokens
from sharedtask.accounts.current_user import current_user
from sharedtask.accounts.models import AccessToken, Scope, User
from sharedtask.core import clock
from sharedtask.core.errors import Refusal


def identify(request: HttpRequest) -> None:
    """Set `request.access_token` and `request.user`, as every access check expects it."""
    request.access_token = None  # type: ignore[attr-defined]
    request.user = AnonymousUser()
    secret = tokens.bearer_secret(request)
    if secret is not None:
        token = tokens.find_token(secret, at=clock.database_now())
        request.access_token = token  # type: ignore[attr-defined]
        request.user = tokens.user_with(token)


def token_of(request: HttpRequest) -> AccessToken:
    """For operations that need a token."""
    token: AccessToken = request.access_token  # type: ignore[attr-defined]
    return token


def owner_of(request: HttpRequest) -> User:
    return current_user(request)


class TokenWith(HttpBearer):
    """The operation needs a token with one of these scopes. `identify` has found the token before."""

    openapi_description = "An access token, created under “Your account”."

    def __init__(self, *scopes: Scope) -> None:
        super().__init__()
        self.scopes = scopes

    def __call__(self, request: HttpRequest) -> Any:
        token: AccessToken | None = request.access_token  # type: ignore[attr-defined]
        if token is None:
            raise Refusal("token-missing", "This needs an access token, sent as “Authorization: Bearer …”.")
        tokens.refuse_scope(token, *self.scopes)
        return token

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        raise NotImplementedError("`__call__` does not use it")


MAY_READ = TokenWith(Scope.READ)
MAY_SUBMIT = TokenWith(Scope.SUBMIT)
MAY_ORGANISE = TokenWith(Scope.ORGANISE)
MAY_WRITE = TokenWith(Scope.SUBMIT, Scope.ORGANISE)
