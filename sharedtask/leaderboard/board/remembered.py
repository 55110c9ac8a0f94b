"""The facts of a leaderboard for visitors, remembered as long as they cannot be others.

They are read again as soon as anything in the database has changed (`sharedtask/unchanged.py`), and when the
clock alone changes something: a phase opens. So a visitor never gets what an organiser's act has made old,
while a burst of readers costs one small query each.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from django.contrib.auth.models import AnonymousUser
from django.db.models import Min

from sharedtask import unchanged
from sharedtask.competition.models import Phase
from sharedtask.leaderboard.board.facts import Facts, facts_for
from sharedtask.leaderboard.board.wishes import Wishes
from sharedtask.leaderboard.models import Publication

Found = tuple[Phase, Facts] | None
MOST = 500


@dataclass(frozen=True, kw_only=True)
class Remembered:
    stamp: Hashable
    since: datetime
    until: datetime | None
    """The next moment at which the clock changes something; None where nothing is to come."""
    found: Found

    def holds(self, stamp: Hashable, at: datetime) -> bool:
        return stamp == self.stamp and self.since <= at and (self.until is None or at < self.until)


_remembered: dict[tuple[str, str, str], Remembered] = {}
_lock = Lock()


def facts_for_visitor(slug: str, wishes: Wishes) -> Found:
    """The facts depend on no other wish than these two."""
    at, stamp = unchanged.now_and_stamp()
    key = slug, wishes.phase, wishes.track
    before = _remembered.get(key)
    if stamp is not None and before is not None and before.holds(stamp, at):
        return before.found
    found = facts_for(AnonymousUser(), slug, wishes, at=at)
    if stamp is not None:
        remember(key, Remembered(stamp=stamp, since=at, until=next_change(slug, at=at), found=found))
    return found


def remember(key: tuple[str, str, str], facts: Remembered) -> None:
    with _lock:
        if len(_remembered) >= MOST:
            _remembered.clear()
        _remembered[key] = facts


def next_change(slug: str, *, at: datetime) -> datetime | None:
    phases = Phase.objects.filter(task__slug=slug, opens_at__gt=at).aggregate(next=Min("opens_at"))
    acts = Publication.objects.filter(task__slug=slug, at__gt=at).aggregate(next=Min("at"))
    return min((one["next"] for one in (phases, acts) if one["next"] is not None), default=None)
