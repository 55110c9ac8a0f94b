"""The sweep of mails: notify of what has happened meanwhile, send again the mails that nobody has sent.

In: the clock. Out: `Swept`. It may run at any time and any number of times.
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
class Swept:
    notified: int
    """Events that people were notified of."""
    dispatched: int
    """Mails that nobody had sent."""


def sweep(*, at: datetime | None = None, patience: timedelta | None = None) -> Swept:
    at = at or clock.database_now()
    notified = task_events.notify_of_events(SOURCES, at=at)
    swept = [work_sweep.sweep(kind, at=at, patience=patience) for kind in MAIL_KINDS]
    return Swept(notified=notified, dispatched=sum(result.dispatched for result in swept))
