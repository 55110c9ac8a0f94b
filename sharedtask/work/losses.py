"""Work whose worker died or stopped responding: it is freed, or given up after too many losses.

In: rows whose lease expired while a worker held them, or the report that a process died. Out: rows that are
free, with a note about the loss; or given up.
"""

from __future__ import annotations

import logging
from datetime import datetime

from django.db.models import F, QuerySet

from sharedtask.work.failure import Failure
from sharedtask.work.kinds import LeasedRow, WorkKind
from sharedtask.work.lease import released

log = logging.getLogger(__name__)


def free_expired(kind: WorkKind[LeasedRow], rows: QuerySet[LeasedRow], *, at: datetime) -> int:
    """The number of rows whose lease expired while a worker held them."""
    expired = rows.filter(claimed_until__lte=at).exclude(claimed_by="")
    # Asked before every claim, and mostly there are none.
    if not expired.exists():
        return 0
    return sum(record_loss(kind, row, expiry_of(kind, row)) for row in kind.with_related(expired))


def expiry_of(kind: WorkKind[LeasedRow], row: LeasedRow) -> Failure:
    return Failure(
        stage=kind.stage,
        kind="LostWorker",
        worker=row.claimed_by,
        note="The worker did not renew its lease: it was killed, or its host went down.",
        details=kind.details(row),
    )


def record_loss(kind: WorkKind[LeasedRow], row: LeasedRow, failure: Failure) -> bool:
    """Count the loss of the worker that held the row. False if another worker holds it by now."""
    owned = kind.waiting().filter(pk=row.pk, claimed_by=row.claimed_by, claimed_until=row.claimed_until)
    lost = owned.update(
        losses=F("losses") + 1,
        failure=failure.as_json(),
        dispatched_at=None,
        **released(),
    )
    if not lost:
        return False
    row.refresh_from_db(fields=["losses"])
    log.warning("%s lost its worker %s (%s), loss %s", row, failure.worker, failure.kind, row.losses)
    if not kind.retries.allows_after_losses(row.losses):
        kind.give_up(row, failure)
    return True
