"""What the team of a blind execution sees while it runs, and from when on.

The time since the start is divided into periods of whole minutes. A worker records how the execution is
doing. In each period the team sees what was recorded last in the one before: how long software makes the
worker wait is not seen.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sharedtask.software.disclosure import MAX_REFRESHES, refresh_minutes
from sharedtask.software.models import Execution

FIRST = {"finished": 0, "status": "working"}
"""In the first period."""


def brief_progress(execution: Execution, *, at: datetime) -> dict[str, Any]:
    recorded: dict[str, Any] = execution.coarse_progress
    is_due = period_at(execution, at=at) > recorded.get("period", -1)
    return (recorded if is_due else recorded.get("before")) or FIRST


def period_at(execution: Execution, *, at: datetime) -> int:
    """By the clock of the database, from 0; the last one does not end."""
    containers = len(execution.codes) if execution.instructions["per_test_set"] else 1
    minutes = execution.limits["wall_seconds"] * containers // 60
    elapsed = (at - (execution.started_at or at)).total_seconds()
    return min(int(elapsed // 60) // refresh_minutes(minutes), MAX_REFRESHES)
