"""The facts of a leaderboard for visitors, remembered for the `Period` in which they cannot be others."""

from __future__ import annotations

from threading import Lock

from django.contrib.auth.models import AnonymousUser

from sharedtask.competition.models import Phase
from sharedtask.leaderboard.board.facts import Facts, facts_for
from sharedtask.leaderboard.board.query import Wishes
from sharedtask.standings.page_cache.period import MOST, Period, now_and_period

Found = tuple[Phase, Facts] | None

_remembered: dict[tuple[str, str, str], tuple[Period, Found]] = {}
_lock = Lock()


def facts_for_visitor(slug: str, wishes: Wishes) -> Found:
    """The facts depend on no other wish than these two."""
    at, period = now_and_period(slug)
    key = slug, wishes.phase, wishes.ranking
    before = _remembered.get(key)
    if before is not None and before[0] is period:
        return before[1]
    found = facts_for(AnonymousUser(), slug, wishes, at=at)
    if period is not None:
        remember(key, period, found)
    return found


def remember(key: tuple[str, str, str], period: Period, found: Found) -> None:
    with _lock:
        if len(_remembered) >= MOST:
            _remembered.clear()
        _remembered[key] = period, found
