"""Access tokens: create, recognise, revoke.

A token is random enough that its SHA-256 needs neither salt nor a slow hash. It acts as its owner, within
its scopes: without the scope `organise`, an organiser's token sees and does what a participant can.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db import OperationalError, transaction
from django.http import HttpRequest

from sharedtask.accounts.models import AccessToken, Scope, User
from sharedtask.accounts.second_factor import lacks_second_factor
from sharedtask.core.errors import Refusal

PREFIX = "arb_"
"""Lets people, and programs that search for leaked secrets, recognise a token."""
HINT_LENGTH = 10
MAX_DAYS = 366
MAX_TOKENS = 50
USE_RECORDED_EVERY = timedelta(minutes=10)
"""Reading through the API should not write a row with every request."""


@dataclass(frozen=True, kw_only=True)
class NewToken:
    token: AccessToken
    secret: str
    """To be shown once."""


def create_token(*, user: User, name: str, scopes: Collection[str], days: int, at: datetime) -> NewToken:
    chosen = [scope for scope in Scope.values if scope in scopes or scope == Scope.READ]
    if Scope.ORGANISE in chosen:
        refuse_without_second_factor(user)
    if user.access_tokens.usable(at=at).count() >= MAX_TOKENS:
        raise Refusal("too-many-tokens", f"You have {MAX_TOKENS} tokens. Please revoke one that is not used.")
    secret = PREFIX + secrets.token_urlsafe(32)
    token = AccessToken.objects.create(
        user=user,
        name=" ".join(name.replace("\0", "").split())[:80] or "token",
        digest=digest_of(secret),
        hint=secret[:HINT_LENGTH],
        scopes=chosen,
        created_at=at,
        expires_at=at + timedelta(days=min(max(days, 1), MAX_DAYS)),
    )
    return NewToken(token=token, secret=secret)


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def refuse_without_second_factor(user: User) -> None:
    """Whoever has no task yet may get one later, so that this does not depend on it."""
    if not settings.ORGANISERS_NEED_SECOND_FACTOR or user.get_username() in settings.SECOND_FACTOR_EXCUSED:
        return
    if not Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists():
        raise Refusal(
            "second-factor-missing",
            "A token with the scope “organise” needs a second factor. Please set one up first.",
        )


def bearer_secret(request: HttpRequest) -> str | None:
    """What the header Authorization contains; None if the request has no such header."""
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, secret = header.strip().partition(" ")
    if scheme.lower() != "bearer":
        raise Refusal("token-invalid", "The header Authorization has to be “Bearer” and a token.")
    return secret.strip()


def find_token(secret: str, *, at: datetime) -> AccessToken:
    """A usable token, or a refusal that says why it is not. Only its owner can know a secret that matches."""
    token = AccessToken.objects.select_related("user").filter(digest=digest_of(secret)).first()
    if token is None or not token.user.is_active:
        raise Refusal("token-invalid", "There is no such token. Please sign in again or create a new one.")
    if token.revoked_at is not None:
        raise Refusal("token-revoked", f"The token “{token.name}” was revoked. Please create a new one.")
    if token.expires_at <= at:
        raise Refusal("token-expired", f"The token “{token.name}” has expired. Please create a new one.")
    if token.allows(Scope.ORGANISE) and lacks_second_factor(token.user):
        raise Refusal(
            "second-factor-missing", "Organisers need a second factor. Please sign in and set one up."
        )
    record_use(token, at=at)
    return token


def user_with(token: AccessToken) -> User:
    """Its owner; `roles` reads the attribute."""
    user = token.user
    user.acts_as_participant = not token.allows(Scope.ORGANISE)  # type: ignore[attr-defined]
    return user


def record_use(token: AccessToken, *, at: datetime) -> None:
    if token.last_used_at is None or at - token.last_used_at > USE_RECORDED_EVERY:
        # Whoever reads while the disk is full, or the database is locked, gets an answer nevertheless.
        with suppress(OperationalError), transaction.atomic():
            AccessToken.objects.filter(pk=token.pk).update(last_used_at=at)


def refuse_scope(token: AccessToken, *scopes: str) -> None:
    """One of these scopes suffices."""
    if not any(token.allows(scope) for scope in scopes):
        names = " or ".join(f"“{scope}”" for scope in scopes)
        raise Refusal(
            "scope-missing",
            f"This needs a token with the scope {names}.",
            found=", ".join(token.scopes),
            expected=" or ".join(scopes),
        )


def revoke(token: AccessToken, *, at: datetime) -> None:
    AccessToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=at)
