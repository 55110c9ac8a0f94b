"""The one clock of a site: that of its database, so that all its machines agree on what was in time.

Callers write `clock.database_now()`, by the module's name, so that a test that replaces it here moves the
time for everybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

from django.db import connection
from django.utils import timezone

_stopped_at: ContextVar[datetime | None] = ContextVar("stopped_at", default=None)
snapshot: ContextVar[str | None] = ContextVar("snapshot", default=None)
"""What PostgreSQL would show at the moment that was asked for last; `unchanged.py` compares it."""


@contextmanager
def stopped_at(moment: datetime) -> Iterator[None]:
    """A clock that stands at this moment, for this request only: organisers rehearse with it, read-only."""
    token = _stopped_at.set(moment)
    try:
        yield
    finally:
        _stopped_at.reset(token)


def database_now() -> datetime:
    """The moment of the call, even inside a transaction, whose own `now()` stands still."""
    if (stopped := _stopped_at.get()) is not None:
        return stopped
    if connection.vendor != "postgresql":
        # SQLite runs inside this process and has this process's clock.
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp(), pg_current_snapshot()::text")
        moment, seen = cursor.fetchone()
    snapshot.set(seen)
    return moment
