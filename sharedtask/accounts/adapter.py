"""What allauth asks us: how new accounts are named, how mails leave, how secrets are kept."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from django import forms
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.text import slugify

from sharedtask.accounts import attempts, letters, mail_allowance
from sharedtask.accounts.models import User
from sharedtask.core import clock, lockbox
from sharedtask.core.client_address import client_address
from sharedtask.core.public_ids import new_public_id
from sharedtask.core.site_address import host, on_this_site

LONGEST_NAME = 60
SECOND_FACTOR = "second factor"


MISMATCH = "Incorrect name or password. Please try again."


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": MISMATCH,
        "email_password_mismatch": MISMATCH,
        "invalid_login": MISMATCH,
        "rate_limited": "That was too often in a short time. Please wait a minute and try again.",
    }

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        user.full_name = form.cleaned_data.get("full_name", "")
        saved: User = super().save_user(request, user, form, commit)
        return saved

    def populate_username(self, request: HttpRequest, user: User) -> None:
        """Names are given and not chosen: “that name is taken” would tell who has an account.

        The random end is longer than needed against chance, so that no account is ever looked for here.
        """
        if not user.username:
            base = slugify(user.full_name, allow_unicode=False)[:40] or "person"
            user.username = f"{base}-{new_public_id()[:8]}"

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """allauth takes the count back when the password turns out to be right."""
        name = credentials.get("email") or credentials.get("username") or ""
        self._login_failed_rl_usage = attempts.count_password(request, name)

    def login(self, request: HttpRequest, user: User) -> None:
        super().login(request, user)
        mail_allowance.begin_again(request, user)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """To the queue instead of to a mail server; see `letters.py` for the reasons.

        allauth builds links from the Host header of the request, which whoever sends it can choose.
        """
        user = context.get("user")
        if not mail_allowance.may_send(self.request, template=template_prefix, address=email, user=user):
            return
        links = {name: on_this_site(value) for name, value in context.items() if name.endswith("_url")}
        site = {"name": "Arboretum", "domain": host()}
        known = {"request": self.request, "email": email, "current_site": site}
        message = self.render_mail(template_prefix, email, known | context | links)
        letters.keep(message, about=template_prefix, at=clock.database_now())

    def send_account_already_exists_mail(self, email: str) -> None:
        """A new account has its password hashed, which takes long enough to be told by a watch."""
        make_password(email)
        super().send_account_already_exists_mail(email)

    def respond_email_verification_sent(self, request: HttpRequest, user: User) -> HttpResponse:
        """Nothing was sent to an account without address; only who has its password comes this far."""
        if user is not None and user.pk and not user.email:
            return redirect("account-without-address")
        return super().respond_email_verification_sent(request, user)


class SecondFactorAdapter(DefaultMFAAdapter):
    """Whoever reads the database, or a copy of it, must not be able to make an organiser's codes."""

    def encrypt(self, text: str) -> str:
        return lockbox.lock(text, purpose=SECOND_FACTOR)

    def decrypt(self, encrypted_text: str) -> str:
        return lockbox.unlock(encrypted_text, purpose=SECOND_FACTOR)


class SignUpForm(forms.Form):
    """What allauth's form asks besides address and password."""

    full_name = forms.CharField(
        label="Your name",
        max_length=LONGEST_NAME,
        help_text="As your team and the organisers will see it.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    field_order = ["full_name", "email", "password1"]

    def clean_full_name(self) -> str:
        name = " ".join(self.cleaned_data["full_name"].split())
        if not name.isprintable():
            raise forms.ValidationError("The name contains characters that cannot be seen.")
        return name

    def signup(self, request: HttpRequest, user: User) -> None:
        """Nothing is left to do: the adapter has taken the name over and saved the account."""
