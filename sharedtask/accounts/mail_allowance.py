"""Limits on the e-mails that anybody can cause to be sent to an address.

In: an account e-mail that anybody who knows the address can request. Out: whether to send it. After a few per
hour it is silently dropped, so that a mailbox cannot be flooded. This locks nobody out, because the links in
the earlier e-mails still work: e-mails are counted by kind, address and account, so that e-mails with another
kind of link, or for another account, do not count. Signing in invalidates reset links, and therefore resets
their count.
"""

from __future__ import annotations

from allauth.account.models import EmailAddress
from allauth.core.internal import ratelimit
from django.http import HttpRequest

from sharedtask.accounts.attempts import APP
from sharedtask.accounts.models import User

ACTION = "account_mail"
RESET = "reset"
KINDS = {
    "account/email/password_reset_key": RESET,
    "account/email/unknown_account": RESET,
    "account/email/email_confirmation": "confirmation",
    "account/email/email_confirmation_signup": "confirmation",
    "account/email/account_already_exists": "known address",
}
"""By allauth's template names. All other e-mails inform the owner about changes of the account."""


def may_send(request: HttpRequest, *, template: str, address: str, user: User | None) -> bool:
    if template not in KINDS:
        return True
    key = rate_key(KINDS[template], address, user)
    return bool(ratelimit.consume(request, app=APP, action=ACTION, key=key, limit_get=True))


def reset(request: HttpRequest, user: User) -> None:
    """To be called after a sign-in."""
    addresses = EmailAddress.objects.filter(user=user).values_list("email", flat=True)
    for address in {user.email, *addresses} - {""}:
        ratelimit.clear(request, app=APP, action=ACTION, key=rate_key(RESET, address, user))


def rate_key(kind: str, address: str, user: User | None) -> str:
    return f"{kind} {address.casefold()} {user.pk if user else 'nobody'}"
