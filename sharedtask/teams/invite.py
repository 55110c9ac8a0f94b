"""Invitations by link: made by a member, used once by whoever has the link, revoked or run out otherwise.

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

LIFE = timedelta(days=14)
MOST_OPEN = 20


def invite(*, team: Team, by: User, at: datetime) -> str:
    """The token. Only its hash is kept: whoever reads the database cannot join."""
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        # Counted by one member at a time.
        Team.objects.select_for_update().get(pk=team.pk)
        if team.invitations.usable(at=at).count() >= MOST_OPEN:
            raise Refusal(
                "too-many-invitations",
                f"There are {MOST_OPEN} open invitations to your team. Revoke one that is not needed.",
            )
        Invitation.objects.create(
            team=team, token_sha256=hash_of(token), created_by=by, created_at=at, expires_at=at + LIFE
        )
    return token


def revoke(*, team: Team, public_id: str, by: User, at: datetime) -> bool:
    return bool(team.invitations.usable(at=at).filter(public_id=public_id).update(revoked_at=at))


def find(token: str, *, at: datetime) -> Invitation | None:
    """Used, revoked, run out or never made: all are the same nothing to whoever holds the link."""
    usable = Invitation.objects.usable(at=at).select_related("team__task")
    return usable.filter(token_sha256=hash_of(token)).first()


def join(*, token: str, by: User, at: datetime) -> Team:
    with transaction.atomic():
        invitation = find(token, at=at)
        # Of two who follow the same link at the same moment, one changes the row.
        if invitation is None or not (
            Invitation.objects.usable(at=at).filter(pk=invitation.pk).update(used_at=at)
        ):
            raise Refusal(
                "invitation-unusable",
                "This invitation has been used or revoked, or has run out. Ask your team for a new link.",
            )
        try:
            with transaction.atomic():
                Membership.objects.create(user=by, team=invitation.team, task=invitation.team.task)
        except IntegrityError:
            # The transaction around it is given up, and the invitation stays unused.
            raise already_in_a_team() from None
    return invitation.team


def hash_of(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
