"""New passwords: set by a link in an e-mail, which clears the counts of failed attempts, or changed.

Neither revokes access tokens; both say which exist.
"""

from __future__ import annotations

from typing import Any

from allauth.account.views import PasswordChangeView, PasswordResetFromKeyView
from django.http import HttpResponse

from sharedtask.accounts import attempts
from sharedtask.accounts.current_user import current_user
from sharedtask.accounts.token_pages import mention_tokens


class NewPasswordView(PasswordResetFromKeyView):
    def form_valid(self, form: Any) -> HttpResponse:
        attempts.clear_counts(self.request, self.reset_user)
        response = super().form_valid(form)
        mention_tokens(self.request, self.reset_user)
        return response


class ChangePasswordView(PasswordChangeView):
    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        mention_tokens(self.request, current_user(self.request))
        return response
