"""Request that the standings of a phase are recomputed, once for a burst of changes.

In: a phase of which something has changed. Out: a row for the request, and a message in the queue
`standings`. This module is below the package `standings`, which computes them, so that every package can
request it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sharedtask.competition.models import StandingRequest
from sharedtask.core import clock
from sharedtask.work import dispatch
from sharedtask.work.lease import fresh_lease
from sharedtask.work.targets import COMPUTE_STANDINGS

QUIET_PERIOD = timedelta(seconds=2)
"""How long to wait for further changes before standings are computed."""


def request_standings(phase_id: int, *, at: datetime | None = None) -> None:
    """Call this in the transaction that changes something a standing depends on."""
    at = at or clock.database_now()
    failed = StandingRequest.objects.filter(phase_id=phase_id, failed_at__isnull=False)
    is_new_attempt = failed.update(failed_at=None, since=at, **fresh_lease(at))
    _, created = StandingRequest.objects.update_or_create(
        phase_id=phase_id,
        defaults={"changed_at": at},
        create_defaults={"changed_at": at, "since": at, "dispatched_at": at},
    )
    if created or is_new_attempt:
        dispatch.enqueue_later(COMPUTE_STANDINGS, phase_id, seconds=QUIET_PERIOD.total_seconds())
