"""The sweep of mails: tell what has happened meanwhile, hand out again the mails that nobody has sent.

In: the clock. Out: `Swept`. It may run at any time and any number of times.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sharedtask.accounts import letters
from sharedtask.core import clock
from sharedtask.standings import notify as standings_news
from sharedtask.submissions import notify as run_news
from sharedtask.teams.models import Notice
from sharedtask.teams.notices import about_tasks
from sharedtask.work import dispatch

SOURCES = (*about_tasks.SOURCES, standings_news.publications, run_news.released_messages)
PATIENCE = timedelta(seconds=60)
"""How long a message to the workers may be under way before another is sent after it."""


@dataclass(frozen=True, kw_only=True)
class Swept:
    told: int
    handed_out: int


def sweep(*, at: datetime | None = None, patience: timedelta = PATIENCE) -> Swept:
    at = at or clock.database_now()
    told = about_tasks.tell_what_happened(SOURCES, at=at)
    waiting = Notice.objects.to_be_mailed(at=at).filter(created_at__lte=at - patience)
    events = list(waiting.order_by("event").values_list("event", flat=True).distinct())
    for event in events:
        dispatch.hand_out(dispatch.MAIL_EVENT, event)
    handed_out = len(events) + letters.sweep(at=at, patience=patience)
    return Swept(told=told, handed_out=handed_out)
