"""A period of time in which nothing changes that a visitor sees of a task.

In: a task's slug. Out: its current `Period`. It ends when anything in the database changes
(`core/database_version.py`), or when the clock alone opens or closes a phase, reveals a test set or releases
a file. A page rendered in a period is correct until its end: no visitor gets a page that an organiser's act
has made stale, and each request of a burst costs one small query.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime

from sharedtask.competition.models import GoldVersion, Phase, TestSet
from sharedtask.core import database_version
from sharedtask.core.cache import LRUCache
from sharedtask.standings.models import Publication
from sharedtask.teams.models import Extension

TIMES = (
    (Phase, "task", "opens_at"),
    (Phase, "task", "closes_at"),
    (Extension, "phase__task", "closes_at"),
    (TestSet, "task", "revealed_at"),
    (TestSet, "task", "inputs_released_at"),
    (GoldVersion, "test_set__task", "released_at"),
    (Publication, "task", "at"),
)
"""Every time that `visibility` compares with the clock."""


@dataclass(frozen=True, kw_only=True)
class Period:
    stamp: Hashable
    since: datetime
    until: datetime | None
    """The next time at which the clock changes something; None if there is none."""

    def includes(self, stamp: Hashable, at: datetime) -> bool:
        return stamp == self.stamp and self.since <= at and (self.until is None or at < self.until)


PERIODS: LRUCache[str, Period] = LRUCache(max_size=500)
"""The latest one of each task, by slug."""


def current_period(slug: str) -> Period | None:
    """None if it cannot be known whether something has changed, for example inside a transaction."""
    at, stamp = database_version.now_and_version()
    if stamp is None:
        return None
    period = PERIODS.get(slug)
    if period is None or not period.includes(stamp, at):
        period = Period(stamp=stamp, since=at, until=next_change(slug, at=at))
        PERIODS.put(slug, period)
    return period


def next_change(slug: str, *, at: datetime) -> datetime | None:
    """One query."""
    first, *others = (
        model._default_manager.filter(**{f"{task}__slug": slug, f"{time}__gt": at})
        .order_by()
        .values_list(time, flat=True)
        for model, task, time in TIMES
    )
    return min(first.union(*others), default=None)
