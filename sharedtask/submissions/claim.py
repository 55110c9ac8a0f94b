"""Claiming work: a worker owns a run or a file only if its conditional UPDATE changed the row.

In: a public id, as the message brings it. Out: the row, now leased to the caller; or None when somebody
else has it or it is done. A message that comes twice, or late, therefore does nothing. A lease that runs
out frees the work of a worker that died; a long step renews it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from sharedtask.submissions.models import Run, RunFile

LEASE = timedelta(seconds=120)


def claim_run(public_id: str, *, at: datetime | None = None) -> Run | None:
    at = at or timezone.now()
    claimable = Run.objects.filter(public_id=public_id).waiting_for_a_checker(at=at)
    if not claimable.update(state=Run.State.CHECKING, claimed_until=at + LEASE):
        return None
    return Run.objects.select_related("task", "team").get(public_id=public_id)


def claim_file(public_id: str, *, at: datetime | None = None) -> RunFile | None:
    at = at or timezone.now()
    claimable = RunFile.objects.filter(public_id=public_id).waiting_for_a_scorer(at=at)
    if not claimable.update(claimed_until=at + LEASE):
        return None
    return RunFile.objects.select_related("run__task", "test_set").get(public_id=public_id)


def renew(run: Run) -> None:
    """Say that the run is still being checked."""
    until = timezone.now() + LEASE
    Run.objects.filter(pk=run.pk, state=Run.State.CHECKING).update(claimed_until=until)
