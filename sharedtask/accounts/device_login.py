"""Sign in a program that has no browser, as in RFC 8628.

A program asks for two codes. It shows the short one to its user, who confirms it on a page of the site; with
the long one the program asks repeatedly, and gets a token once. The token exists only from then on, so that
its secret is never stored.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from sharedtask.accounts import tokens
from sharedtask.accounts.models import DeviceAuthorization, Scope, User
from sharedtask.accounts.tokens import NewToken
from sharedtask.core.errors import Refusal

LIFETIME = timedelta(minutes=15)
INTERVAL = timedelta(seconds=5)
TOKEN_DAYS = 90
MAX_WAITING = 10_000
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""Consonants, as RFC 8628 advises: no words, and no letters that are taken for digits."""


@dataclass(frozen=True, kw_only=True)
class NewAuthorization:
    authorization: DeviceAuthorization
    device_code: str


def begin(*, client_name: str, scopes: Collection[str], at: datetime) -> NewAuthorization:
    if DeviceAuthorization.objects.waiting(at=at).count() >= MAX_WAITING:
        raise Refusal("too-many-requests", "Too many programs are waiting to be confirmed. Try again later.")
    device_code = secrets.token_urlsafe(32)
    letters = "".join(secrets.choice(LETTERS) for _ in range(8))
    authorization = DeviceAuthorization.objects.create(
        device_digest=tokens.digest_of(device_code),
        user_code=f"{letters[:4]}-{letters[4:]}",
        client_name=" ".join(client_name.replace("\0", "").split())[:80] or "a program",
        scopes=[scope for scope in Scope.values if scope in scopes or scope == Scope.READ],
        created_at=at,
        expires_at=at + LIFETIME,
    )
    return NewAuthorization(authorization=authorization, device_code=device_code)


def find_waiting(user_code: str, *, at: datetime) -> DeviceAuthorization | None:
    letters = "".join(character for character in user_code.upper() if character.isalnum())
    code = f"{letters[:4]}-{letters[4:]}"
    return DeviceAuthorization.objects.waiting(at=at).filter(user_code=code).first()


def decide(authorization: DeviceAuthorization, *, user: User, approve: bool, at: datetime) -> None:
    if approve and Scope.ORGANISE in authorization.scopes:
        tokens.refuse_without_second_factor(user)
    state = DeviceAuthorization.State.APPROVED if approve else DeviceAuthorization.State.DENIED
    rows = DeviceAuthorization.objects.waiting(at=at).filter(pk=authorization.pk)
    if not rows.update(state=state, approved_by=user if approve else None):
        raise Refusal(
            "expired", "This code has expired or has already been used. Please start again in the program."
        )


def poll(device_code: str, *, at: datetime) -> NewToken:
    """The token, once; until then a refusal with the ids of RFC 8628."""
    with transaction.atomic():
        rows = DeviceAuthorization.objects.select_for_update(of=("self",)).select_related("approved_by")
        row = rows.filter(device_digest=tokens.digest_of(device_code)).first()
        if row is None or row.state == row.State.USED or row.expires_at <= at:
            raise Refusal("expired", "This sign-in has expired or has already been used. Please start again.")
        if row.state == row.State.DENIED:
            raise Refusal("denied", "The sign-in was denied.")
        if row.state == row.State.APPROVED:
            assert row.approved_by is not None
            new = tokens.create_token(
                user=row.approved_by, name=row.client_name, scopes=row.scopes, days=TOKEN_DAYS, at=at
            )
            row.state, row.token = row.State.USED, new.token
            row.save(update_fields=["state", "token"])
            return new
        too_soon = row.last_polled_at is not None and at - row.last_polled_at < INTERVAL / 2
        row.last_polled_at = at
        row.save(update_fields=["last_polled_at"])
    if too_soon:
        raise Refusal("slow-down", f"Please wait {INTERVAL.seconds} seconds between two requests.")
    raise Refusal("authorization-pending", "The sign-in has not been confirmed yet.")


def remove_expired(*, at: datetime) -> int:
    removed, _ = DeviceAuthorization.objects.filter(expires_at__lte=at).delete()
    return removed
