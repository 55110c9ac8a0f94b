"""Claiming work: a worker owns a run or a score only if its conditional UPDATE changed the row.

In: a public id, as the message brings it. Out: the row, now leased to the caller; or None when somebody
else has it or it is done. A message that comes twice, or late, therefore does nothing. A lease that runs
out frees the work of a worker that died; `heartbeat.py` renews it as long as the worker lives. Leases are
told by the database's clock, the only one that workers on several machines share.
"""

from __future__ import annotations

from datetime import datetime

from sharedtask import clock
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.models.lease import LEASE, this_worker


def claim_run(public_id: str, *, at: datetime | None = None) -> Run | None:
    at = at or clock.database_now()
    claimable = Run.objects.filter(public_id=public_id).waiting_for_a_checker(at=at)
    if not claimable.update(state=Run.State.CHECKING, claimed_until=at + LEASE, claimed_by=this_worker()):
        return None
    return Run.objects.select_related("task", "phase", "team", "amends").get(public_id=public_id)


def claim_score(public_id: str, *, at: datetime | None = None) -> Score | None:
    at = at or clock.database_now()
    claimable = Score.objects.filter(public_id=public_id).waiting_for_a_scorer(at=at)
    if not claimable.update(claimed_until=at + LEASE, claimed_by=this_worker()):
        return None
    related = ("gold", "file__test_set", "file__run__task")
    return Score.objects.select_related(*related).get(public_id=public_id)
