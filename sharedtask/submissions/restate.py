"""Something that standings depend on has changed: ask for them to be computed again, once for a burst.

In: the phase. Out: its `Wanted` row, written with the change itself; the workers do the rest.
"""

from __future__ import annotations

from datetime import datetime

from sharedtask.competition.models import Phase
from sharedtask.leaderboard.want import want


def restate(phase: Phase, *, at: datetime) -> None:
    """Call it inside the transaction of the change."""
    want(phase.pk, at=at)
