"""allauth's forms for one-time codes; they say how long whoever is stopped has to wait."""

from __future__ import annotations

from allauth.core import context
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from django.core.exceptions import ValidationError

from sharedtask.accounts import attempts
from sharedtask.accounts.models import User

STOPPED = (attempts.TOO_MANY, "rate_limited")


class SaysHowLong:
    """allauth counts the attempts, and says no more than that there were too many."""

    user: User

    def clean_code(self) -> str:
        try:
            code: str = super().clean_code()  # type: ignore[misc]
        except ValidationError as error:
            if error.code not in STOPPED:
                raise
            key = attempts.code_key(self.user)
            seconds = attempts.seconds_left(context.request, action=attempts.BY_KEY, key=key)
            raise attempts.too_many(seconds) from None
        return code


class CodeForm(SaysHowLong, AuthenticateForm):
    pass


class CodeAgainForm(SaysHowLong, ReauthenticateForm):
    pass


class FirstCodeForm(SaysHowLong, ActivateTOTPForm):
    pass
