"""How many mails anybody can have sent to an address.

In: a mail about an account that anybody can ask for who knows an address. Out: whether it is sent. Beyond a
few an hour it is not, and nobody is told, so that a mailbox is not flooded. That shuts nobody out, because
the mails sent before hold links that work: mails are counted by kind, address and account, so that a mail
with another kind of link, or a link for another account, does not count. Signing in makes reset links void,
and so begins a new count of them.
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
"""By allauth's name of a mail. All others tell the owner what has happened to the account."""


def may_send(request: HttpRequest, *, template: str, address: str, user: User | None) -> bool:
    if template not in KINDS:
        return True
    key = key_of(KINDS[template], address, user)
    return bool(ratelimit.consume(request, app=APP, action=ACTION, key=key, limit_get=True))


def begin_again(request: HttpRequest, user: User) -> None:
    """To be called when an account signs in."""
    addresses = EmailAddress.objects.filter(user=user).values_list("email", flat=True)
    for address in {user.email, *addresses} - {""}:
        ratelimit.clear(request, app=APP, action=ACTION, key=key_of(RESET, address, user))


def key_of(kind: str, address: str, user: User | None) -> str:
    return f"{kind} {address.casefold()} {user.pk if user else 'nobody'}"
