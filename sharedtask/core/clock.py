"""The clock of a site: that of its database, so that all machines agree on what was in time.

Callers write `clock.database_now()`, by the module's name. A test that replaces `now_and_snapshot` here moves
the time for everyone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

from django.db import connection
from django.utils import timezone

_stopped_at: ContextVar[datetime | None] = ContextVar("stopped_at", default=None)


@contextmanager
def stopped_at(moment: datetime) -> Iterator[None]:
    """Stop the clock at this moment for one request: used by previews, which are read-only.

    A context variable, because about a hundred functions ask for the time: every view and every access check
    would have to take the clock as an argument for the sake of this one use.
    """
    token = _stopped_at.set(moment)
    try:
        yield
    finally:
        _stopped_at.reset(token)


def database_now() -> datetime:
    """The moment of the call, also inside a transaction, where SQL's `now()` does not advance."""
    moment, _ = now_and_snapshot()
    return moment


def now_and_snapshot() -> tuple[datetime, str | None]:
    """The moment, and which transactions PostgreSQL shows at that moment, in one query.

    There is no snapshot where the database was not asked: with a stopped clock, or with SQLite, which runs
    inside this process and has this process's clock.
    """
    if (stopped := _stopped_at.get()) is not None:
        return stopped, None
    if connection.vendor != "postgresql":
        return timezone.now(), None
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp(), pg_current_snapshot()::text")
        moment, snapshot = cursor.fetchone()
    return moment, snapshot


def format_time(at: datetime) -> str:
    """As messages to users quote it; pages use the filters of `moments`."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
