"""allauth's forms for one-time codes, with messages that say how long to wait after too many attempts."""

from __future__ import annotations

from allauth.core import context
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from django.core.exceptions import ValidationError

from sharedtask.accounts import attempts
from sharedtask.accounts.models import User

RATE_LIMIT_ERRORS = (attempts.TOO_MANY, "rate_limited")


class WaitTimeMixin:
    """allauth counts the attempts, but its message does not say when the next one is allowed."""

    user: User

    def clean_code(self) -> str:
        try:
            code: str = super().clean_code()  # type: ignore[misc]
        except ValidationError as error:
            if error.code not in RATE_LIMIT_ERRORS:
                raise
            key = attempts.code_key(self.user)
            seconds = attempts.seconds_left(context.request, action=attempts.BY_KEY, key=key)
            raise attempts.too_many(seconds) from None
        return code


class CodeForm(WaitTimeMixin, AuthenticateForm):
    pass


class ReauthenticationCodeForm(WaitTimeMixin, ReauthenticateForm):
    pass


class ActivationCodeForm(WaitTimeMixin, ActivateTOTPForm):
    pass
