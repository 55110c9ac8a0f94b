"""A new password, set by a link in a mail: it lifts the limits on guessing at the account."""

from __future__ import annotations

from typing import Any

from allauth.account.views import PasswordResetFromKeyView
from django.http import HttpResponse

from sharedtask.accounts import attempts


class NewPasswordView(PasswordResetFromKeyView):
    def form_valid(self, form: Any) -> HttpResponse:
        attempts.lift(self.request, self.reset_user)
        return super().form_valid(form)
