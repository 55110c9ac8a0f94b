"""Leave a team. What the team has submitted stays; a team without people and without runs goes away."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.teams.models import Membership, Team


def leave(*, team: Team, by: User, at: datetime) -> None:
    with transaction.atomic():
        team = Team.objects.select_for_update().get(pk=team.pk)
        gone, _ = Membership.objects.filter(team=team, user=by).delete()
        if not gone:
            return
        # Whoever has left cannot let others in.
        team.invitations.usable(at=at).filter(created_by=by).update(revoked_at=at)
        if not team.members.exists() and not team.runs.exists() and not team.is_baseline:
            team.delete()
