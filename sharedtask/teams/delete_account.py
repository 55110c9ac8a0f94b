"""Delete an account with its addresses, notices and memberships. Scored runs are kept.

Runs, scores and standings belong to teams, not to people. The audit log keeps the name under which an
organiser acted, because it is append-only; the page says so before the deletion is confirmed.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.core.errors import Refusal
from sharedtask.teams.leave import leave
from sharedtask.teams.models import Team


def delete_account(*, user: User, at: datetime) -> None:
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user.pk)
        for task in Task.objects.filter(organisers=user):
            if not task.organisers.exclude(pk=user.pk).exists():
                raise Refusal(
                    "only-organiser",
                    f"You are the only organiser of {task.title}. Add another organiser first.",
                )
        for team in Team.objects.filter(members=user):
            leave(team=team, by=user, at=at)
        user.delete()
