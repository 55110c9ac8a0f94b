"""Something that standings depend on has changed: ask for them to be computed again, once for a burst.

In: the phase. Out: its `StandingRequest`, written with the change itself; the workers do the rest.
"""

from __future__ import annotations

from datetime import datetime

from sharedtask.competition.models import Phase
from sharedtask.competition.request_standings import request_standings


def restate(phase: Phase, *, at: datetime) -> None:
    """Call it inside the transaction of the change."""
    request_standings(phase.pk, at=at)
