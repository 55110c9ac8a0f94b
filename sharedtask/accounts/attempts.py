"""Limits on guessing passwords and one-time codes.

Passwords are counted by name and origin together, so that nobody can lock out somebody else, and by origin
alone, so that one origin cannot try many names. One-time codes are counted by account: they are short enough
to be guessed from many origins together, and only somebody who knows the password can try them. A password
reset by e-mail clears the counts of its account. The rates are in `settings.ACCOUNT_RATE_LIMITS`.
"""

from __future__ import annotations

import math
import time
import unicodedata

from allauth.account.models import EmailAddress
from allauth.core.internal import ratelimit
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from sharedtask.accounts.models import User

APP = "allauth.account"
# allauth counts one-time codes under this name as well.
BY_KEY = "login_failed"
BY_ORIGIN = "login_failed_by_origin"
TOO_MANY = "too_many_login_attempts"


def count_password(request: HttpRequest, name: str) -> ratelimit.RateLimitUsage:
    """To be called before a password is checked; the result can undo the count if it was correct."""
    key = password_key(request, name)
    usage = ratelimit.consume(request, app=APP, action=BY_KEY, key=key)
    if usage is None:
        raise too_many(seconds_left(request, action=BY_KEY, key=key))
    from_origin = ratelimit.consume(request, app=APP, action=BY_ORIGIN)
    if from_origin is None:
        usage.rollback()
        raise too_many(seconds_left(request, action=BY_ORIGIN))
    return ratelimit.RateLimitUsage(usage=usage.usage + from_origin.usage)


def password_key(request: HttpRequest, name: str) -> str:
    """Names that the database treats as equal have the same key."""
    return f"{unicodedata.normalize('NFKC', name).casefold()} {ratelimit.get_ip(request)}"


def code_key(user: User) -> str:
    """The key that allauth uses."""
    return f"mfa-auth-user-{user.pk}"


def clear_counts(request: HttpRequest, user: User) -> None:
    """Of this account: wrong codes, and wrong passwords from the origin of the request."""
    addresses = EmailAddress.objects.filter(user=user).values_list("email", flat=True)
    names = {user.username, user.email, *addresses} - {""}
    for key in [code_key(user), *(password_key(request, name) for name in names)]:
        ratelimit.clear(request, app=APP, action=BY_KEY, key=key)


def seconds_left(request: HttpRequest, *, action: str, key: str | None = None) -> float:
    """Until the next attempt is allowed."""
    now = time.time()
    left = 0.0
    for rate in ratelimit.get_rates(app=APP, action=action):
        history = cache.get(ratelimit.get_cache_key(request, app=APP, action=action, rate=rate, key=key), [])
        recent = sorted((then for then in history if then > now - rate.duration), reverse=True)
        if len(recent) >= rate.amount:
            left = max(left, recent[rate.amount - 1] + rate.duration - now)
    return left


def too_many(seconds: float) -> ValidationError:
    return ValidationError(
        f"Too many attempts. Try again in {waiting_time(seconds)}, "
        "or reset your password by e-mail to sign in at once.",
        code=TOO_MANY,
    )


def waiting_time(seconds: float) -> str:
    """As text, rounded up: in minutes up to 90, then in hours."""
    unit, length = ("minute", 60) if seconds <= 90 * 60 else ("hour", 60 * 60)
    number = max(1, math.ceil(seconds / length))
    return f"1 {unit}" if number == 1 else f"{number} {unit}s"
