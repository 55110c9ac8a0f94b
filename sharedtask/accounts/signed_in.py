"""The account behind a request, for views that `login_required` protects."""

from __future__ import annotations

from django.http import HttpRequest

from sharedtask.accounts.models import User


def signed_in(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
