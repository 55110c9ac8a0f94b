"""A team withdraws a run or a whole system. Results stay stored, and no quota is given back.

In: the run or system and who acts. Out: its new status and an entry in the audit log. A setting of the task
decides how withdrawn systems are shown. Only organisers can restore a run. If an official run is withdrawn
after its phase has closed for the team, no other run takes its place (`official.py`); the audit log records
it.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.submissions import official
from sharedtask.submissions.models import Run
from sharedtask.teams.models import System, Team


def withdraw_run(*, run: Run, by: User, reason: str = "", at: datetime | None = None) -> None:
    at, reason = at or clock.database_now(), reasons.optional(reason)
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=run.team_id)
        late = official.has_closed(run.phase, run.team, at=at)
        unranks = late and official.is_official(run)
        withdrawn = Run.objects.filter(pk=run.pk, status=Run.Status.COUNTS).update(
            status=Run.Status.WITHDRAWN, status_reason=reason, withdrawn_after_closing=late
        )
        if not withdrawn:
            raise Refusal("already-withdrawn", "This run has already been withdrawn or rejected.")
        audit.write(
            task=run.task,
            who=by,
            action="withdraw-run",
            subject=run,
            reason=reason,
            details={"run": run.public_id, **({"leaves_unranked": True} if unranks else {})},
            at=at,
        )
        request_standings(run.phase_id, at=at)


def withdraw_system(*, system: System, by: User, reason: str = "", at: datetime | None = None) -> None:
    """Its runs count as withdrawn too; their rows are not changed."""
    at, reason = at or clock.database_now(), reasons.optional(reason)
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=system.team_id)
        unranked = official.phases_without_rank_after(system, at=at)
        if not System.objects.filter(pk=system.pk, withdrawn_at=None).update(withdrawn_at=at):
            raise Refusal("already-withdrawn", f"{system.name} has already been withdrawn.")
        audit.write(
            task=system.team.task,
            who=by,
            action="withdraw-system",
            subject=system,
            reason=reason,
            details={
                "system": system.public_id,
                **({"leaves_unranked": [phase.code for phase in unranked]} if unranked else {}),
            },
            at=at,
        )
        for phase in system.team.task.phases.filter(runs__system=system).distinct():
            request_standings(phase.pk, at=at)
