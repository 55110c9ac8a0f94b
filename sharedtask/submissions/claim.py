"""Claiming work: a worker owns a run or a score only when it has found it free and written its lease on it.

In: public ids, as the message brings them. Out: the rows that are now leased to the caller, without those
that somebody else has or that are done. A message that comes twice, or late, therefore does nothing. A lease
that runs out frees the work of a worker that died; `heartbeat.py` renews it as long as the worker lives.
Leases are told by the database's clock, the only one that workers on several machines share.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import connection, transaction

from sharedtask.core import clock
from sharedtask.submissions.models import Run, Score
from sharedtask.work.lease import LEASE, this_worker


def claim_run(public_id: str, *, at: datetime | None = None) -> Run | None:
    at = at or clock.database_now()
    claimable = Run.objects.filter(public_id=public_id).waiting_for_a_checker(at=at)
    if not claimable.update(state=Run.State.CHECKING, claimed_until=at + LEASE, claimed_by=this_worker()):
        return None
    return Run.objects.select_related("task", "phase", "team", "amends").get(public_id=public_id)


def claim_scores(public_ids: Sequence[str], *, at: datetime | None = None) -> list[Score]:
    """Several at once: their rows are locked first, and nobody waits for a row that another is claiming."""
    at = at or clock.database_now()
    related = ("gold", "file__test_set", "file__run__task")
    waiting = Score.objects.filter(public_id__in=public_ids).waiting_for_a_scorer(at=at)
    with transaction.atomic():
        forget_in_a_crash()
        locked = waiting.select_for_update(skip_locked=True, of=("self",))
        scores = list(locked.select_related(*related).order_by("pk"))
        for score in scores:
            score.claimed_until, score.claimed_by = at + LEASE, this_worker()
        claimed = Score.objects.filter(pk__in=[score.pk for score in scores])
        claimed.update(claimed_until=at + LEASE, claimed_by=this_worker())
    return scores


def forget_in_a_crash() -> None:
    """A lease that the database loses in a crash leaves the work free: nobody need wait for the disk."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit = off")
