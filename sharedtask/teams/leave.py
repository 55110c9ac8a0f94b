"""Leave a team. The team keeps its submissions; without members and without runs it is deleted."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.teams.models import Membership, Team


def leave(*, team: Team, by: User, at: datetime) -> None:
    with transaction.atomic():
        team = Team.objects.select_for_update().get(pk=team.pk)
        deleted, _ = Membership.objects.filter(team=team, user=by).delete()
        if not deleted:
            return
        # Invitations end with the membership of the person who sent them.
        team.invitations.usable(at=at).filter(created_by=by).update(revoked_at=at)
        if not team.members.exists() and not team.runs.exists() and not team.is_baseline:
            team.delete()
