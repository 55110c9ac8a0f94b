"""Limits on guessing passwords and one-time codes.

Passwords are counted by name and origin together, so that nobody can lock somebody else out, and by origin
alone, so that one origin cannot try many names. One-time codes are counted by account: they are short enough
to be guessed from many origins together, and only whoever knows the password comes so far. A new password set
by a link in a mail lifts what is counted for its account. The rates are in `settings.ACCOUNT_RATE_LIMITS`.
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
    """To be called before a password is looked at; the result takes the count back if it was right."""
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
    """Names that the database takes for the same must be counted as the same."""
    return f"{unicodedata.normalize('NFKC', name).casefold()} {ratelimit.get_ip(request)}"


def code_key(user: User) -> str:
    """As allauth writes it."""
    return f"mfa-auth-user-{user.pk}"


def lift(request: HttpRequest, user: User) -> None:
    """What is counted for this account: wrong codes, and wrong passwords from where the request comes."""
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
        recent = sorted((moment for moment in history if moment > now - rate.duration), reverse=True)
        if len(recent) >= rate.amount:
            left = max(left, recent[rate.amount - 1] + rate.duration - now)
    return left


def too_many(seconds: float) -> ValidationError:
    return ValidationError(
        f"There were too many attempts. You can try again in {minutes(seconds)}, or at once with a new "
        "password that you set by a link in a mail.",
        code=TOO_MANY,
    )


def minutes(seconds: float) -> str:
    number = max(1, math.ceil(seconds / 60))
    return "1 minute" if number == 1 else f"{number} minutes"
