"""Invitations by link: created by a member, used once, and valid until they are revoked or expire.

In: a team, or the token of a link. Out: a token, which is shown once and never stored, or a membership.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from sharedtask.accounts.models import User
from sharedtask.core.errors import Refusal
from sharedtask.teams.models import Invitation, Membership, Team
from sharedtask.teams.register import already_in_a_team

VALID_FOR = timedelta(days=14)
MAX_OPEN = 20


def invite(*, team: Team, by: User, at: datetime) -> str:
    """The token. Only its hash is stored, so that reading the database is not enough to join."""
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        # The lock makes members who invite at the same time count one after the other.
        Team.objects.select_for_update().get(pk=team.pk)
        if team.invitations.usable(at=at).count() >= MAX_OPEN:
            raise Refusal(
                "too-many-invitations",
                f"Your team has {MAX_OPEN} open invitations. Revoke one first.",
            )
        Invitation.objects.create(
            team=team, token_sha256=hash_token(token), created_by=by, created_at=at, expires_at=at + VALID_FOR
        )
    return token


def revoke(*, team: Team, public_id: str, by: User, at: datetime) -> bool:
    return bool(team.invitations.usable(at=at).filter(public_id=public_id).update(revoked_at=at))


def find_usable(token: str, *, at: datetime) -> Invitation | None:
    """None if it was used or revoked, has expired or never existed; the reader does not learn which."""
    usable = Invitation.objects.usable(at=at).select_related("team__task")
    return usable.filter(token_sha256=hash_token(token)).first()


def join(*, token: str, by: User, at: datetime) -> Team:
    with transaction.atomic():
        invitation = find_usable(token, at=at)
        # If two people follow the same link at the same moment, only one of them updates the row.
        if invitation is None or not (
            Invitation.objects.usable(at=at).filter(pk=invitation.pk).update(used_at=at)
        ):
            raise Refusal(
                "invitation-unusable",
                "This invitation has been used or revoked, or has expired. Ask your team for a new link.",
            )
        try:
            with transaction.atomic():
                Membership.objects.create(user=by, team=invitation.team, task=invitation.team.task)
        except IntegrityError:
            # The outer transaction is rolled back, so the invitation stays unused.
            raise already_in_a_team() from None
    return invitation.team


def hash_token(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
