"""What the organisers' pages share: who acts, and telling on the page whether the act was done or refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from django.contrib import messages
from django.http import HttpRequest

from sharedtask.accounts.models import User
from sharedtask.core.errors import Refusal


def who(request: HttpRequest) -> User:
    """After `login_required`, so that there is somebody."""
    return cast(User, request.user)


def attempt(request: HttpRequest, act: Callable[[], object], done: str) -> bool:
    try:
        act()
    except Refusal as refusal:
        messages.error(request, refusal.message)
        return False
    messages.success(request, done)
    return True
