"""The signed-in user of a request, for views protected by `login_required`."""

from __future__ import annotations

from django.http import HttpRequest

from sharedtask.accounts.models import User


def current_user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
