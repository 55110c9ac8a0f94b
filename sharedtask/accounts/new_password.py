"""Setting a new password by a link in an e-mail, which clears the counts of failed attempts."""

from __future__ import annotations

from typing import Any

from allauth.account.views import PasswordResetFromKeyView
from django.http import HttpResponse

from sharedtask.accounts import attempts


class NewPasswordView(PasswordResetFromKeyView):
    def form_valid(self, form: Any) -> HttpResponse:
        attempts.clear_counts(self.request, self.reset_user)
        return super().form_valid(form)
