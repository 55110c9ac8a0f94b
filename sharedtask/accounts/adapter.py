"""Adapters for allauth: names of new accounts, sending of e-mails, encryption of secrets."""

from __future__ import annotations

import time
from typing import Any

from allauth.account import app_settings
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from allauth.mfa.adapter import DefaultMFAAdapter
from django import forms
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.text import slugify

from sharedtask.accounts import attempts, mail_allowance, mail_queue
from sharedtask.accounts.models import User
from sharedtask.core import clock, lockbox
from sharedtask.core.client_address import client_address
from sharedtask.core.public_ids import new_public_id
from sharedtask.core.site_address import host, on_this_site

MAX_NAME_LENGTH = 60
SECOND_FACTOR = "second factor"
TOKENS = "tokens"
"""Pages about access tokens, for the decorator that asks for the password again."""
MISMATCH = "Incorrect name or password. Please try again."


def signed_in_recently(request: HttpRequest) -> bool:
    """With the password, within the time for which a repeated password counts."""
    records = get_authentication_records(request, request.user)
    times = [record["at"] for record in records if record.get("method") == "password"]
    return bool(times) and time.time() - max(times) < app_settings.REAUTHENTICATION_TIMEOUT


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": MISMATCH,
        "email_password_mismatch": MISMATCH,
        "invalid_login": MISMATCH,
        "rate_limited": "Too many attempts. Please wait a minute and try again.",
    }

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        user.full_name = form.cleaned_data.get("full_name", "")
        saved: User = super().save_user(request, user, form, commit)
        return saved

    def populate_username(self, request: HttpRequest, user: User) -> None:
        """Names are assigned, not chosen: “that name is taken” would reveal who has an account.

        The random suffix is long enough that collisions need no check.
        """
        if not user.username:
            base = slugify(user.full_name, allow_unicode=False)[:40] or "person"
            user.username = f"{base}-{new_public_id()[:8]}"

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Whoever has just signed in with the password can set up the second factor or a token without it."""
        required: bool = super().is_reauthentication_required(app=app, **kwargs)
        return required and not (app in ("allauth.mfa", TOKENS) and signed_in_recently(self.request))

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """allauth undoes the count if the password is correct."""
        name = credentials.get("email") or credentials.get("username") or ""
        self._login_failed_rl_usage = attempts.count_password(request, name)

    def login(self, request: HttpRequest, user: User) -> None:
        super().login(request, user)
        mail_allowance.reset(request, user)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """To the queue instead of a mail server; see `mail_queue.py` for the reasons.

        allauth builds links from the Host header of the request, which the client can forge.
        """
        user = context.get("user")
        if not mail_allowance.may_send(self.request, template=template_prefix, address=email, user=user):
            return
        links = {name: on_this_site(value) for name, value in context.items() if name.endswith("_url")}
        site = {"name": "Arboretum", "domain": host()}
        defaults = {"request": self.request, "email": email, "current_site": site}
        message = self.render_mail(template_prefix, email, defaults | context | links)
        mail_queue.enqueue(message, about=template_prefix, at=clock.database_now())

    def send_account_already_exists_mail(self, email: str) -> None:
        """Hash a password as for a new account, so that the response time does not reveal the difference."""
        make_password(email)
        super().send_account_already_exists_mail(email)

    def respond_email_verification_sent(self, request: HttpRequest, user: User) -> HttpResponse:
        """An account without an address gets its own page; only somebody with its password reaches it."""
        if user is not None and user.pk and not user.email:
            return redirect("account-without-address")
        return super().respond_email_verification_sent(request, user)


class SecondFactorAdapter(DefaultMFAAdapter):
    """Secrets are encrypted, so that a copy of the database is not enough to generate codes."""

    def encrypt(self, text: str) -> str:
        return lockbox.lock(text, purpose=SECOND_FACTOR)

    def decrypt(self, encrypted_text: str) -> str:
        return lockbox.unlock(encrypted_text, purpose=SECOND_FACTOR)


class SignUpForm(forms.Form):
    """The fields of the sign-up form in addition to e-mail address and password."""

    full_name = forms.CharField(
        label="Your name",
        max_length=MAX_NAME_LENGTH,
        help_text="Shown to your team and the organisers.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    field_order = ["full_name", "email", "password1"]

    def clean_full_name(self) -> str:
        name = " ".join(self.cleaned_data["full_name"].split())
        if not name.isprintable():
            raise forms.ValidationError("The name contains invisible characters.")
        return name

    def signup(self, request: HttpRequest, user: User) -> None:
        """Required by allauth. The adapter has already saved the name."""
