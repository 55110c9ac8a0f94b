"""A stretch of time in which nothing changes that a visitor sees of a task.

In: a task's slug. Out: the moment, and the `Period` that it lies in: the same one as long as nothing in the
database has changed (`core/database_version.py`) and the clock alone has changed nothing: opened or closed a
phase, revealed a test set, released an input. What was made in a period can be shown as long as it lasts, so
that a visitor never gets what an organiser's act has made old, while a burst of readers costs one small query
each.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from sharedtask.competition.models import GoldVersion, Phase, TestSet
from sharedtask.core import database_version
from sharedtask.standings.models import Publication
from sharedtask.teams.models import Extension

MOST = 500
MOMENTS = (
    (Phase, "task", "opens_at"),
    (Phase, "task", "closes_at"),
    (Extension, "phase__task", "closes_at"),
    (TestSet, "task", "revealed_at"),
    (TestSet, "task", "inputs_released_at"),
    (GoldVersion, "test_set__task", "released_at"),
    (Publication, "task", "at"),
)
"""Whatever `visibility` compares with the clock."""


@dataclass(frozen=True, kw_only=True)
class Period:
    stamp: Hashable
    since: datetime
    until: datetime | None
    """The next moment at which the clock changes something; None where nothing is to come."""

    def holds(self, stamp: Hashable, at: datetime) -> bool:
        return stamp == self.stamp and self.since <= at and (self.until is None or at < self.until)


_periods: dict[str, Period] = {}
_lock = Lock()


def now_and_period(slug: str) -> tuple[datetime, Period | None]:
    """No period where nobody can say whether something has changed."""
    at, stamp = database_version.now_and_version()
    if stamp is None:
        return at, None
    before = _periods.get(slug)
    if before is not None and before.holds(stamp, at):
        return at, before
    period = Period(stamp=stamp, since=at, until=next_change(slug, at=at))
    with _lock:
        if len(_periods) >= MOST:
            _periods.clear()
        _periods[slug] = period
    return at, period


def next_change(slug: str, *, at: datetime) -> datetime | None:
    """One query."""
    first, *others = (
        model._default_manager.filter(**{f"{task}__slug": slug, f"{moment}__gt": at})
        .order_by()
        .values_list(moment, flat=True)
        for model, task, moment in MOMENTS
    )
    return min(first.union(*others), default=None)
