"""Ask for the standings of a phase to be computed again, once for a burst of changes.

In: a phase of which something has changed. Out: a row that says so, and a message in the queue `compare`. The
row is written here, below whoever computes standings, so that every change can ask for them.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sharedtask.competition.models import StandingRequest
from sharedtask.core import clock
from sharedtask.work import dispatch
from sharedtask.work.targets import COMPUTE_STANDINGS

QUIET = timedelta(seconds=2)
"""How long nothing must have changed before standings are computed."""


def request_standings(phase_id: int, *, at: datetime | None = None) -> None:
    """Call it in the transaction that changes something a standing depends on."""
    at = at or clock.database_now()
    _, created = StandingRequest.objects.update_or_create(
        phase_id=phase_id,
        defaults={"changed_at": at},
        create_defaults={"changed_at": at, "since": at, "dispatched_at": at},
    )
    if created:
        dispatch.enqueue_later(COMPUTE_STANDINGS, phase_id, seconds=QUIET.total_seconds())
