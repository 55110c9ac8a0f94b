"""What allauth asks us: how new accounts are named, and nothing else."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.text import slugify

from sharedtask.publicid import new_public_id

LONGEST_NAME = 60


MISMATCH = "That name and password do not belong together. Please try again."


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": MISMATCH,
        "email_password_mismatch": MISMATCH,
        "invalid_login": MISMATCH,
        "too_many_login_attempts": "There were too many attempts. Please wait a few minutes and try again.",
        "rate_limited": "That was too often in a short time. Please wait a minute and try again.",
    }

    def populate_username(self, request: HttpRequest, user: User) -> None:
        """Names are given and not chosen: “that name is taken” would tell who has an account.

        The random end is longer than needed against chance, so that no account is ever looked for here.
        """
        if not user.username:
            base = slugify(user.first_name, allow_unicode=False)[:40] or "person"
            user.username = f"{base}-{new_public_id()[:8]}"


class SignUpForm(forms.Form):
    """What allauth's form asks besides address and password."""

    first_name = forms.CharField(
        label="Your name",
        max_length=LONGEST_NAME,
        help_text="As your team and the organisers will see it.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    field_order = ["first_name", "email", "password1"]

    def clean_first_name(self) -> str:
        name = " ".join(self.cleaned_data["first_name"].split())
        if not name.isprintable():
            raise forms.ValidationError("The name contains characters that cannot be seen.")
        return name

    def signup(self, request: HttpRequest, user: User) -> None:
        """Nothing is left to do: the adapter has taken the name over and saved the account."""
