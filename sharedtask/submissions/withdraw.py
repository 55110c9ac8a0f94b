"""A team takes back a run, or a whole system. Results stay stored; no quota comes back.

In: the run or system and who acts. Out: its new state and an entry in the audit log. How a withdrawn system
is shown is the task's setting. Only organisers can bring a run back. No other run takes the place of an
official one that is withdrawn after its phase has closed for the team (`official.py`), and the log says so.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.submissions import official
from sharedtask.submissions.models import Run
from sharedtask.submissions.restate import restate
from sharedtask.teams.models import System, Team


def withdraw_run(*, run: Run, by: User, reason: str = "", at: datetime | None = None) -> None:
    at, reason = at or clock.database_now(), reasons.optional(reason)
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=run.team_id)
        late = official.has_closed(run.phase, run.team, at=at)
        unranks = late and official.is_official(run)
        withdrawn = Run.objects.filter(pk=run.pk, fate=Run.Fate.COUNTS).update(
            fate=Run.Fate.WITHDRAWN, fate_reason=reason, withdrawn_after_closing=late
        )
        if not withdrawn:
            raise Refusal("withdrawn-already", "This run was withdrawn or rejected before.")
        audit.write(
            task=run.task,
            who=by,
            action="withdraw-run",
            subject=run,
            reason=reason,
            details={"run": run.public_id, **({"leaves_unranked": True} if unranks else {})},
            at=at,
        )
        restate(run.phase, at=at)


def withdraw_system(*, system: System, by: User, reason: str = "", at: datetime | None = None) -> None:
    """All its runs go with it; none of them has to be touched."""
    at, reason = at or clock.database_now(), reasons.optional(reason)
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=system.team_id)
        unranked = official.phases_without_rank_after(system, at=at)
        if not System.objects.filter(pk=system.pk, withdrawn_at=None).update(withdrawn_at=at):
            raise Refusal("withdrawn-already", f"{system.name} was withdrawn before.")
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
            restate(phase, at=at)
