"""The sweep of notices: notify people of recent events, and dispatch unsent e-mails again.

In: a time. Out: `NoticeSweepReport`. It may run at any time and any number of times.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sharedtask.core import clock
from sharedtask.operations.kinds import MAIL_KINDS
from sharedtask.standings import notify as standings_news
from sharedtask.submissions import notify as run_news
from sharedtask.teams.notices import task_events
from sharedtask.work import sweep as work_sweep

SOURCES = (*task_events.SOURCES, standings_news.publications, run_news.released_messages)


@dataclass(frozen=True, kw_only=True)
class NoticeSweepReport:
    notified: int
    """Events that people were notified of."""
    dispatched: int
    """Unsent e-mails that were dispatched again."""


def sweep(*, at: datetime | None = None, patience: timedelta | None = None) -> NoticeSweepReport:
    at = at or clock.database_now()
    notified = task_events.notify_of_events(SOURCES, at=at)
    results = [work_sweep.sweep(kind, at=at, patience=patience) for kind in MAIL_KINDS]
    return NoticeSweepReport(notified=notified, dispatched=sum(result.dispatched for result in results))
